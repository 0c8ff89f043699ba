from django.apps import AppConfig


class ObjectsConfig(AppConfig):
    name = "dashboard.features.objects"
    label = "objects"
