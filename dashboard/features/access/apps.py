from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "dashboard.features.access"
    label = "access"
