from django.apps import AppConfig


class HomeConfig(AppConfig):
    name = "dashboard.features.home"
    label = "home"
