"""The fleet: all projects (without a management interface, all storages) with their known facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from django.http import Http404
from django.utils import timezone

from dashboard.facts import overview
from dashboard.facts.overview import Overview, Refreshed
from dashboard.facts.registry import HOSTNAMES, NETWORK, PROJECTS, STORAGE, Turned
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.labels.services import NOTHING, ProjectLabel, labels
from dashboard.tokens import last_known, spaces
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.spaces import Space
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import side_by_side

T = TypeVar("T", Project, Organization)

# If the list of projects is older, it is read again when the page opens.
LISTED_FOR = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class View:
    """A view of the list, and the IP address that somebody looks for in it.

    `anew`: facts older than a minute are read again. `is_checked`: list and facts were just read one after the other, which may
    have taken minutes; nothing is read again for its age.
    """

    tab: str
    address: str = ""
    anew: bool = False
    is_checked: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A project or a storage. A storage has no organization, region or date; an older service may tell none of a project."""

    place: str
    name: str
    label: ProjectLabel
    overview: Overview
    organization: str = ""
    region: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Fleet:
    """All rows, unsorted. `is_listed`: the list of projects is up to date, so that rows may be refreshed. `as_of`: its age.

    `organizations`: names by id, or ids where `failure` says why they couldn't be read.
    """

    rows: Sequence[Row]
    organizations: Mapping[str, str]
    is_listed: bool
    as_of: datetime | None = None
    failure: InterfaceError | None = None


def tabs_of(workspace: Workspace) -> dict[str, str]:
    """Return the title of each view that the person's tokens can show, the usual one first."""
    titles = {PROJECTS: "Projects", STORAGE: "Storage", NETWORK: "Network"}
    has_storage = spaces.mode() == "per project"
    return {tab: title for tab, title in titles.items() if (has_storage if tab == STORAGE else workspace.can_manage)}


def tab_of(workspace: Workspace, asked: str) -> str:
    """Return the view that is asked for, else the usual one. That of hostnames has a page of its own."""
    found = tabs_of(workspace)
    if asked == HOSTNAMES and workspace.can_manage:
        return asked
    return asked if asked in found else next(iter(found), PROJECTS)


def turned(workspace: Workspace, fleet: Fleet, tab: str) -> Turned | None:
    """Return what the tab switches for all places at once, if anything. Calls no service."""
    leads = {row.place: row.overview.lead for row in fleet.rows if row.overview.lead and not row.overview.is_gone}
    review = next((lead.fact.review_in(tab) for lead in leads.values()), None)
    return review.turned(workspace, {place: lead.value for place, lead in leads.items()}) if review else None


def known_fleet(workspace: Workspace, view: View) -> Fleet:
    """Return the fleet as this person's tokens last read it. Calls no service."""
    if not workspace.can_manage:
        return Fleet(_stores(workspace, workspace.known_spaces(), view), {}, is_listed=True)
    learn_projects(workspace)
    projects, as_of = _recall(workspace, "M1", list[Project])
    organizations, _ = _recall(workspace, "M3", list[Organization])
    if as_of is None:
        return Fleet((), {}, is_listed=False)
    is_listed = view.is_checked or as_of > timezone.now() - LISTED_FOR
    found = _fleet(workspace, projects, organizations, view, is_listed=is_listed)
    return replace(found, as_of=as_of)


def read_fleet(workspace: Workspace, view: View) -> Fleet:
    """Read the projects (M1) and the names of their organizations (M3), if those can be read."""
    if not workspace.can_manage:
        return known_fleet(workspace, view)
    projects, (organizations, failure) = side_by_side(workspace.management.projects.all, lambda: _organizations(workspace))
    return replace(_fleet(workspace, projects, organizations, view, is_listed=not workspace.is_replay), failure=failure)


def refresh_row(workspace: Workspace, place: str, view: View) -> tuple[Row, Row, Refreshed]:
    """Return a row before and after reading what is due, and what came of that."""
    before = known_row(workspace, place, view)
    refreshed = overview.refresh(workspace, place, view.tab, view.address, anew=view.anew)
    return before, known_row(workspace, place, view), refreshed


def known_row(workspace: Workspace, place: str, view: View) -> Row:
    """Return one row of the fleet as it is known; 404 if the token doesn't list the project. Calls no service."""
    projects, _ = _recall(workspace, "M1", list[Project]) if workspace.can_manage else ([], None)
    found = _projects(workspace, [project for project in projects if project.ref == place], view)
    if not found and (view.tab == STORAGE or not workspace.can_manage):
        found = _stores(workspace, [space for space in workspace.known_spaces() if space.name == place], view)
    if not found:
        raise Http404("There is no such project, or your token can't see it.")
    return found[0]


def _fleet(
    workspace: Workspace, projects: Sequence[Project], organizations: Sequence[Organization], view: View, *, is_listed: bool
) -> Fleet:
    """Return the projects, and in the view of storages also those whose token is stored though M1 doesn't list their project."""
    ids = {project.organization_id: project.organization_id for project in projects}
    rows = _projects(workspace, projects, view)
    if view.tab == STORAGE:
        listed = {project.ref for project in projects}
        rows += _stores(workspace, [store for store in workspace.known_spaces() if store.name not in listed], view)
    names = {one.id: one.name for one in organizations if one.id in ids}
    return Fleet(rows, {**ids, **names}, is_listed=is_listed)


def _projects(workspace: Workspace, projects: Sequence[Project], view: View) -> list[Row]:
    known, mine = _overviews(workspace, [project.ref for project in projects], view), labels()
    return [
        Row(
            place=project.ref,
            name=project.name,
            label=mine.get(project.ref, NOTHING),
            overview=known[project.ref],
            organization=project.organization_id,
            region=project.region,
            created_at=project.created_at,
        )
        for project in projects
    ]


def _stores(workspace: Workspace, stores: Sequence[Space], view: View) -> list[Row]:
    known, mine = _overviews(workspace, [store.name for store in stores], view), labels()
    return [Row(store.name, store.title, mine.get(store.name, NOTHING), known[store.name]) for store in stores]


def _overviews(workspace: Workspace, places: Sequence[str], view: View) -> dict[str, Overview]:
    return overview.overviews(workspace, places, view.tab, view.address, anew=view.anew, is_checked=view.is_checked)


def _recall(workspace: Workspace, operation: str, shape: type[list[T]]) -> tuple[list[T], datetime | None]:
    """Return what the person's credentials last listed, without duplicates, and the oldest list's time; None without any."""
    found = [last_known.recall(fingerprint, operation, shape) for fingerprint in workspace.listing_fingerprints]
    lists = [one for one in found if one]
    items = {item.id: item for rows, _ in reversed(lists) for item in rows}
    return list(items.values()), min((read_at for _, read_at in lists), default=None)


def _organizations(workspace: Workspace) -> tuple[Sequence[Organization], InterfaceError | None]:
    """Return the organizations (M3), or why they can't be read: the projects are listed without their names."""
    try:
        return workspace.management.organizations.all(), None
    except InterfaceError as failure:
        return (), failure
