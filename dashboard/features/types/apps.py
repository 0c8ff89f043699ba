from django.apps import AppConfig

from dashboard.web.pages import navigation


class TypesConfig(AppConfig):
    name = "dashboard.features.types"
    label = "types"

    def ready(self) -> None:
        navigation.add_project_section("types", "Types", "braces", "types:index", order=60)
