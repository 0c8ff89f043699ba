from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "dashboard.features.sharing"
    label = "sharing"
