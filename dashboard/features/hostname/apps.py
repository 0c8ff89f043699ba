from django.apps import AppConfig


class HostnameConfig(AppConfig):
    name = "dashboard.features.hostname"
    label = "hostname"
