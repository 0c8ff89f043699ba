from django.apps import AppConfig


class FunctionsConfig(AppConfig):
    name = "dashboard.features.functions"
    label = "functions"
