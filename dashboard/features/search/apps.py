from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "dashboard.features.search"
    label = "search"
