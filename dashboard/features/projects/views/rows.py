"""Rows of the list of projects."""

from dataclasses import dataclass

from django.urls import reverse

from dashboard.features.projects.rules import region_name
from dashboard.features.projects.services.projects import NO_LABEL, STATES, Organizations
from dashboard.interfaces.management.projects import Project
from dashboard.labels.services import ProjectLabel
from dashboard.tokens import spaces


@dataclass(frozen=True, slots=True)
class Row:
    """One project. `storage_href` is empty if it has no storage of its own here."""

    ref: str
    name: str
    organization: str
    organization_id: str
    region: str
    region_code: str
    state: str
    state_raw: str
    state_tone: str
    created: str
    created_at: str
    database_host: str
    database_version: str
    href: str
    secrets_href: str
    storage_href: str
    label: ProjectLabel
    label_href: str


def row_of(project: Project, organizations: Organizations, label: ProjectLabel | None = None) -> Row:
    raw = project.status or ""
    state, tone = STATES.get(raw, (raw, "neutral"))
    return Row(
        ref=project.id,
        name=project.name,
        organization=organizations.name(project.organization_id),
        organization_id=project.organization_id,
        region=region_name(project.region),
        region_code=project.region,
        state=state,
        state_raw=raw if raw != state else "",
        state_tone=tone,
        created=f"{project.created_at:%-d %b %Y}" if project.created_at else "",
        created_at=project.created_at.isoformat() if project.created_at else "",
        database_host=project.database.host if project.database else "",
        database_version=project.database.version if project.database else "",
        href=reverse("projects:show", args=[project.id]),
        secrets_href=reverse("secrets:index", args=[project.id]),
        storage_href=reverse("buckets:index", args=[project.id]) if spaces.can_be(project.id) else "",
        label=label or NO_LABEL,
        label_href=reverse("projects:label", args=[project.id]),
    )
