from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    name = "dashboard.features.snapshots"
    label = "snapshots"
