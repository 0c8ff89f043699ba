from django.apps import AppConfig


class IndexConfig(AppConfig):
    name = "dashboard.index"
    label = "index"
