"""Rows of projects for pages."""

from dataclasses import dataclass

from dashboard.features.projects.rules import region_name
from dashboard.features.projects.services.projects import NO_LABEL, Organizations
from dashboard.interfaces.management.projects import Project
from dashboard.labels.services import ProjectLabel
from dashboard.tokens import spaces
from dashboard.tokens.states import STATES


@dataclass(frozen=True, slots=True)
class Row:
    """A project's record and derived values. `has_storage`: it has a storage of its own here."""

    project: Project
    organization: str
    region: str
    state: str
    tone: str
    has_storage: bool
    label: ProjectLabel


def row_of(project: Project, organizations: Organizations, label: ProjectLabel | None = None) -> Row:
    raw = project.status or ""
    state, tone = STATES.get(raw, (raw, "neutral"))
    return Row(
        project=project,
        organization=organizations.name(project.organization_id),
        region=region_name(project.region),
        state=state,
        tone=tone,
        has_storage=spaces.can_be(project.id),
        label=label or NO_LABEL,
    )
