from django.apps import AppConfig


class LinksConfig(AppConfig):
    name = "dashboard.links"
    label = "links"
