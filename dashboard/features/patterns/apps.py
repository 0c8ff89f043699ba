from django.apps import AppConfig


class PatternsConfig(AppConfig):
    name = "dashboard.features.patterns"
    label = "patterns"
