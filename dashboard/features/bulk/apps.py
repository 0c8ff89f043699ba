from django.apps import AppConfig


class BulkConfig(AppConfig):
    name = "dashboard.features.bulk"
    label = "bulk"
