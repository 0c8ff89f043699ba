"""The start page: missing tokens, a few projects or buckets, the latest changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dashboard.interfaces.management.projects import Project
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.journal import queries
from dashboard.journal.models import Entry
from dashboard.tokens import spaces
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.spaces import Space
from dashboard.tokens.workspace import Workspace

PLACES_MAX = 6
CHANGES_MAX = 6
# How many changes decide which projects were used last.
RECENT_ENTRIES = 200

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sections:
    """What this installation has: projects, and storage for each of them or one for all."""

    management: bool
    storage: bool
    per_project: bool


@dataclass(frozen=True, slots=True)
class Glance(Generic[T]):
    """The first few of `total`."""

    few: Sequence[T]
    total: int


def sections_of(*, has_management: bool) -> Sections:
    mode = spaces.mode()
    return Sections(management=has_management, storage=mode != "none", per_project=mode == "per project")


def missing_tokens(workspace: Workspace, here: Sections) -> list[tuple[str, str]]:
    """Kind and space of each token that the person needs to begin. Sends nothing."""
    found: list[tuple[str, str]] = []
    if here.management and not workspace.has(Kind.MANAGEMENT):
        found.append((Kind.MANAGEMENT, ""))
    is_single = here.storage and not here.per_project
    if is_single and not workspace.has(Kind.STORAGE, spaces.SHARED):
        found.append((Kind.STORAGE, spaces.SHARED))
    if here.per_project and not here.management and not workspace.spaces():
        found.append((Kind.STORAGE, ""))
    return found


def refused_tokens(workspace: Workspace) -> list[StoredToken]:
    return [token for token in StoredToken.objects.filter(person=workspace.person) if token.is_refused]


def list_projects(workspace: Workspace) -> Glance[Project]:
    """Projects (M1), those with the person's latest changes first."""
    projects = workspace.management.projects.all()
    rank = _recency(workspace)
    projects.sort(key=lambda project: (rank.get(project.id, len(rank)), project.name.casefold(), project.id))
    return Glance(projects[:PLACES_MAX], total=len(projects))


def list_buckets(workspace: Workspace, space: str) -> Glance[Bucket]:
    """Buckets that the token has access to (S2), by name."""
    buckets = sorted(workspace.storage(space).buckets.all(), key=lambda bucket: (bucket.name.casefold(), bucket.id))
    return Glance(buckets[:PLACES_MAX], total=len(buckets))


def list_spaces(workspace: Workspace) -> Glance[Space]:
    """Spaces with a stored token, where no management interface lists more. Sends nothing."""
    found = workspace.spaces()
    return Glance(found[:PLACES_MAX], total=len(found))


def latest_changes(workspace: Workspace) -> list[queries.Row]:
    """The person's latest changes, without sign-ins and sign-outs."""
    found = queries.joined(Entry.objects.filter(person=workspace.person)).exclude(operation__startswith="sign-")
    return queries.rows(found.select_related("person")[:CHANGES_MAX], name=workspace.known_name, joins=True)


def _recency(workspace: Workspace) -> dict[str, int]:
    """Rank of each project by the person's latest changes."""
    changes = Entry.objects.filter(person=workspace.person).exclude(place="").exclude(operation__startswith="token")
    latest = changes.values_list("place", flat=True)[:RECENT_ENTRIES]
    return {place: rank for rank, place in enumerate(dict.fromkeys(latest))}
