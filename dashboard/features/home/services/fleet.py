"""All projects, or all storages without a management interface, with what is known of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from django.http import Http404
from django.utils import timezone

from dashboard.facts import overview
from dashboard.facts.overview import Overview
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.labels.services import NOTHING, ProjectLabel, labels
from dashboard.tokens import last_known
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.workspace import Workspace
from dashboard.web.parallel import side_by_side

T = TypeVar("T", Project, Organization)

# An older list of projects is read again when the page opens.
LISTED_FOR = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Row:
    """A project or a storage."""

    place: str
    name: str
    organization: str
    label: ProjectLabel
    overview: Overview


@dataclass(frozen=True, slots=True)
class Fleet:
    """All rows, unsorted. `is_listed`: the list of projects is up to date, so that rows may be refreshed. `as_of`: its age."""

    rows: Sequence[Row]
    organizations: Mapping[str, str]
    is_listed: bool
    as_of: datetime | None = None


def known_fleet(workspace: Workspace) -> Fleet:
    """Return the fleet as this person's tokens last read it. Calls no service."""
    if not workspace.can_manage:
        return Fleet(_rows(workspace, {space.name: (space.title, "") for space in workspace.known_spaces()}), {}, is_listed=True)
    learn_projects(workspace)
    projects, as_of = _recall(workspace, "M1", list[Project])
    organizations, _ = _recall(workspace, "M3", list[Organization])
    if as_of is None:
        return Fleet((), {}, is_listed=False)
    found = _fleet(workspace, projects, organizations, is_listed=as_of > timezone.now() - LISTED_FOR)
    return replace(found, as_of=as_of)


def read_fleet(workspace: Workspace) -> Fleet:
    """Read the projects (M1) and the names of their organizations (M3), if those can be read."""
    if not workspace.can_manage:
        return known_fleet(workspace)
    projects, organizations = side_by_side(workspace.management.projects.all, lambda: _organizations(workspace))
    return _fleet(workspace, projects, organizations, is_listed=not workspace.is_replay)


def refresh_row(workspace: Workspace, place: str) -> tuple[Row, Row, float]:
    """Return a row before and after reading what is due, and the seconds to wait before more can be read."""
    before = known_row(workspace, place)
    wait = overview.refresh(workspace, place)
    return before, known_row(workspace, place), wait


def known_row(workspace: Workspace, place: str) -> Row:
    """Return one row of the fleet as it is known; 404 if the token doesn't list the project. Calls no service."""
    if not workspace.can_manage:
        places = {space.name: (space.title, "") for space in workspace.known_spaces()}
    else:
        projects, _ = _recall(workspace, "M1", list[Project])
        places = {project.ref: (project.name, project.organization_id) for project in projects}
    if place not in places:
        raise Http404("There is no such project, or your token has no access to it.")
    return _rows(workspace, {place: places[place]})[0]


def _fleet(workspace: Workspace, projects: Sequence[Project], organizations: Sequence[Organization], *, is_listed: bool) -> Fleet:
    rows = _rows(workspace, {project.ref: (project.name, project.organization_id) for project in projects})
    ids = {project.organization_id: project.organization_id for project in projects}
    return Fleet(rows, {**ids, **{one.id: one.name for one in organizations if one.id in ids}}, is_listed=is_listed)


def _rows(workspace: Workspace, places: Mapping[str, tuple[str, str]]) -> list[Row]:
    known, mine = overview.overviews(workspace, list(places)), labels()
    return [Row(ref, name, owner, mine.get(ref, NOTHING), known[ref]) for ref, (name, owner) in places.items()]


def _recall(workspace: Workspace, operation: str, shape: type[list[T]]) -> tuple[list[T], datetime | None]:
    """Return what the person's credentials last listed, each item once, and the age of the oldest list; None without any."""
    found = [last_known.recall(fingerprint, operation, shape) for fingerprint in workspace.listing_fingerprints]
    lists = [one for one in found if one]
    items = {item.id: item for rows, _ in reversed(lists) for item in rows}
    return list(items.values()), min((read_at for _, read_at in lists), default=None)


def _organizations(workspace: Workspace) -> Sequence[Organization]:
    """Return the organizations (M3); none if they can't be read, since they only name a filter."""
    try:
        return workspace.management.organizations.all()
    except InterfaceError:
        return ()
