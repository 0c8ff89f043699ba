from django.apps import AppConfig

from dashboard.web import navigation


class HomeConfig(AppConfig):
    name = "dashboard.features.home"
    label = "home"

    def ready(self) -> None:
        navigation.add_section("Home", "house", "home:index", order=0, covers=("/projects/", "/organizations/", "/hostnames/"))
