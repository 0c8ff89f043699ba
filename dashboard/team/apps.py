from django.apps import AppConfig


class TeamConfig(AppConfig):
    name = "dashboard.team"
    label = "team"
