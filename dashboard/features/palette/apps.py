from django.apps import AppConfig


class PaletteConfig(AppConfig):
    name = "dashboard.features.palette"
    label = "palette"
