from django.apps import AppConfig

from dashboard.web import navigation


class ObjectsConfig(AppConfig):
    name = "dashboard.features.objects"
    label = "objects"

    def ready(self) -> None:
        navigation.add_inner("bucket", "objects:index", of="space")
