from django.apps import AppConfig
from django.urls import reverse

from dashboard.web.pages import navigation


class ProjectsConfig(AppConfig):
    name = "dashboard.features.projects"
    label = "projects"

    def ready(self) -> None:
        navigation.add_project_section(
            "overview", "Overview", "layout-dashboard", "projects:show", order=10, covers=("projects",)
        )
        navigation.add_root("ref", _steps)
        from dashboard.facts import registry  # noqa: PLC0415 - models may be imported only now
        from dashboard.features.projects.services import create, organizations, overview  # noqa: PLC0415 - as above

        navigation.add_switch("ref", "Switch project", "projects:switch")
        from dashboard.features.projects.views.projects import found  # noqa: PLC0415 - as above
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above
        from dashboard.tokens import palette  # noqa: PLC0415 - as above

        registry.register(overview.FACT)
        palette.add_source("Projects", found, order=10)
        palette.add_action("New project", "plus", "projects:new")
        palette.add_action("Edit label of {}", "tag", "projects:label")
        register("M2", Rule(create.read_state, create.is_created))
        register("M4", Rule(organizations.read_state, organizations.is_created))


def _steps(ref: str, label: str) -> navigation.Steps:
    return (("Home", reverse("home:index")), (label, reverse("projects:show", args=(ref,))))
