"""Projects over all organizations, as a person sees them: operations M1 and M3."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.urls import reverse

from dashboard.features.projects.rules.regions import region_name
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.labels.queries import ProjectLabel
from dashboard.tokens import spaces
from dashboard.tokens.workspace import Workspace

# Our word and tone for the states that newer servers send; another state is shown as it came.
STATES = {
    "ACTIVE_HEALTHY": ("Healthy", "good"),
    "ACTIVE_UNHEALTHY": ("Unhealthy", "attention"),
    "COMING_UP": ("Coming up", "waiting"),
    "GOING_DOWN": ("Going down", "waiting"),
    "INACTIVE": ("Paused", "neutral"),
    "INIT_FAILED": ("Start failed", "danger"),
    "PAUSE_FAILED": ("Pause failed", "danger"),
    "PAUSING": ("Pausing", "waiting"),
    "REMOVED": ("Removed", "neutral"),
    "RESIZING": ("Resizing", "waiting"),
    "RESTARTING": ("Restarting", "waiting"),
    "RESTORE_FAILED": ("Restore failed", "danger"),
    "RESTORING": ("Restoring", "waiting"),
    "UNKNOWN": ("Not known", "neutral"),
    "UPGRADING": ("Upgrading", "waiting"),
}

NO_LABEL = ProjectLabel()


@dataclass(frozen=True, slots=True)
class Organizations:
    """Names by id (M3). `failure` says why they are missing: the list of projects stands without them."""

    names: dict[str, str]
    failure: InterfaceError | None = None

    def name(self, organization_id: str) -> str:
        return self.names.get(organization_id, organization_id)


@dataclass(frozen=True, slots=True)
class Row:
    """One project, ready to print. `storage_href` is empty where projects have no storage of their own here."""

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


@dataclass(frozen=True, slots=True)
class Reach:
    """Which of the person's tokens reach a project: fingerprints, empty where there is none."""

    management: str
    storage: str


def list_projects(workspace: Workspace) -> list[Project]:
    """Every project that the token reaches, over all organizations (M1), in no order."""
    return workspace.management.projects.all()


def list_organizations(workspace: Workspace) -> Organizations:
    """Names of the organizations (M3). A failure here stops nobody: ids then stand for names."""
    try:
        found: Sequence[Organization] = workspace.management.organizations.all()
    except InterfaceError as failure:
        return Organizations(names={}, failure=failure)
    return Organizations(names={organization.id: organization.name for organization in found})


def find_project(projects: Sequence[Project], ref: str) -> Project:
    """The project of that ref; 404 where the token reaches none."""
    for project in projects:
        if project.id == ref:
            return project
    raise Http404("There is no such project, or your token does not reach it.")


def arrange(
    projects: Sequence[Project],
    organizations: Organizations,
    labels: Mapping[str, ProjectLabel],
    *,
    search: str = "",
    organization: str = "",
    label: str = "",
    sort: str = "name",
    descending: bool = False,
) -> list[Project]:
    """The projects, of one organization or label where given, whose name, ref or label contains the searched text; sorted."""
    wanted = search.casefold()
    found = [
        project
        for project in projects
        if (not organization or project.organization_id == organization)
        and (not label or _is_labelled(labels.get(project.id, NO_LABEL), label))
        and any(
            wanted in text for text in (project.name.casefold(), project.id, labels.get(project.id, NO_LABEL).name.casefold())
        )
    ]
    found.sort(key=lambda project: (project.name.casefold(), project.id))
    if sort == "organization":
        found.sort(key=lambda project: organizations.name(project.organization_id).casefold(), reverse=descending)
    elif sort == "label":
        found.sort(key=lambda project: labels.get(project.id, NO_LABEL).name.casefold(), reverse=descending)
        found.sort(key=lambda project: not labels.get(project.id, NO_LABEL).name)
    elif sort == "region":
        found.sort(key=lambda project: region_name(project.region) or project.region, reverse=descending)
    elif sort == "created":
        found.sort(key=lambda project: _day(project.created_at)[1], reverse=descending)
    elif descending:
        found.reverse()
    return found


def choices_of(projects: Sequence[Project], organizations: Organizations) -> list[tuple[str, str]]:
    """Id and name of every organization to filter by, also of those that M3 did not name."""
    ids = {*organizations.names, *(project.organization_id for project in projects)}
    return sorted(((id_, organizations.name(id_)) for id_ in ids), key=lambda choice: (choice[1].casefold(), choice[0]))


def label_choices(labels: Mapping[str, ProjectLabel], projects: Sequence[Project]) -> list[tuple[str, str]]:
    """What there is to filter by among the labels of these projects: value and words; nothing where none is labelled."""
    mine = [found for project in projects if (found := labels.get(project.id)) and found.is_shown]
    names = sorted({label.name for label in mine if label.name}, key=str.casefold)
    production = [("is:production", "Production")] if any(label.production for label in mine) else []
    none = [("is:none", "Without a label")] if mine else []
    return [*production, *((f"name:{name}", name) for name in names), *none]


def row_of(project: Project, organizations: Organizations, label: ProjectLabel | None = None) -> Row:
    created, created_at = _day(project.created_at)
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
        created=created,
        created_at=created_at,
        database_host=project.database.host if project.database else "",
        database_version=project.database.version if project.database else "",
        href=reverse("projects:show", args=[project.id]),
        secrets_href=reverse("secrets:index", args=[project.id]),
        storage_href=reverse("buckets:index", args=[project.id]) if spaces.can_be(project.id) else "",
        label=label or NO_LABEL,
        label_href=reverse("projects:label", args=[project.id]),
    )


def reach_of(workspace: Workspace, ref: str) -> Reach:
    return Reach(management=workspace.fingerprint("management"), storage=workspace.fingerprint("storage", ref))


def _is_labelled(label: ProjectLabel, wanted: str) -> bool:
    if wanted == "is:production":
        return label.production
    if wanted == "is:none":
        return not label.is_shown
    return f"name:{label.name}" == wanted


def _day(moment: datetime | None) -> tuple[str, str]:
    return (f"{moment:%-d %b %Y}", moment.isoformat()) if moment else ("", "")
