"""Projects and organizations: what this feature adds to the product."""

from django.urls import reverse

from dashboard.facts import registry
from dashboard.features.projects.services import create, organizations, overview
from dashboard.features.projects.views.projects import found
from dashboard.jobs.settlement import register
from dashboard.tokens import palette
from dashboard.web.pages import navigation


def _steps(ref: str, label: str) -> navigation.Steps:
    return (("Home", reverse("home:index")), (label, reverse("projects:show", args=(ref,))))


navigation.add_project_section("overview", "Overview", "layout-dashboard", "projects:show", order=10, covers=("projects",))
navigation.add_root("ref", _steps)
navigation.add_switch("ref", "Switch project", "projects:switch")
registry.register(overview.FACT)
palette.add_source("Projects", found, order=10)
palette.add_action("New project", "plus", "projects:new")
palette.add_action("Organizations", "building-2", "organizations:index")
palette.add_action("Edit label of {}", "tag", "projects:label")
register(*create.RULES, *organizations.RULES)
