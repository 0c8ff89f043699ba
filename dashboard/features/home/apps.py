from django.apps import AppConfig

from dashboard.web.pages import navigation


class HomeConfig(AppConfig):
    name = "dashboard.features.home"
    label = "home"

    def ready(self) -> None:
        covers = ("/projects/", "/storage/", "/organizations/")
        navigation.add_section("Home", "house", "home:index", order=0, covers=covers)
