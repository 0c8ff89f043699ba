"""Buckets: what this feature adds to the product."""

from django.conf import settings
from django.urls import reverse

from dashboard.facts import registry
from dashboard.features.buckets.services import buckets, overview
from dashboard.features.buckets.views.buckets import found
from dashboard.jobs.settlement import register
from dashboard.tokens import palette
from dashboard.web.pages import navigation


def _is_per_project() -> bool:
    return "{ref}" in settings.STORAGE_URL


def _steps(space: str, label: str) -> navigation.Steps:
    """Return the breadcrumb of a storage: below its project, or below Home where it belongs to none."""
    buckets = reverse("buckets:index", args=(space,))
    if "{ref}" not in settings.STORAGE_URL or not settings.MANAGEMENT_URL:
        return (("Home", reverse("home:index")), (label, buckets))
    return (*navigation.root_steps("ref", space, label), ("Storage", buckets))


navigation.add_project_section("storage", "Storage", "hard-drive", "buckets:index", order=15, is_available=_is_per_project)
navigation.add_root("space", _steps)
navigation.add_switch("space", "Switch bucket", "buckets:switch")
palette.add_source("Buckets", found, order=40)
palette.add_words("buckets:index", "buckets files objects snapshots trash upload restore deleted usage size")
palette.add_action("New bucket in {}", "plus", "buckets:new")
palette.add_action("Storage of all projects", "hard-drive", "home:index", f"?view={registry.STORAGE}")
for fact in overview.FACTS:
    registry.register(fact)
register(*buckets.RULES)
