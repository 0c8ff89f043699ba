from django.apps import AppConfig

from dashboard.web import navigation


class TeamConfig(AppConfig):
    name = "dashboard.team"
    label = "team"

    def ready(self) -> None:
        navigation.add_section("Team", "users", "team:index", order=60)
