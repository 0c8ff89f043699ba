from django.apps import AppConfig


class TypesConfig(AppConfig):
    name = "dashboard.features.types"
    label = "types"
