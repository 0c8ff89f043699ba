"""Missing and refused tokens, and the person's latest changes. Calls no service."""

from dataclasses import dataclass

from django.utils import timezone

from dashboard.journal import queries
from dashboard.journal.models import Entry
from dashboard.tokens import spaces
from dashboard.tokens.grants import Granted
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.refusals import lost_at
from dashboard.tokens.workspace import Workspace

CHANGES_MAX = 6


@dataclass(frozen=True, slots=True)
class Sections:
    """The parts of this installation: projects, and storage for each of them or one for all."""

    management: bool
    storage: bool
    per_project: bool


def sections_of(*, has_management: bool) -> Sections:
    mode = spaces.mode()
    return Sections(management=has_management, storage=mode != "none", per_project=mode == "per project")


def missing_tokens(workspace: Workspace, here: Sections) -> list[tuple[str, str]]:
    """Return kind and space of each token that the person needs to begin."""
    if not workspace.has_grants and paused_access(workspace):
        return []
    found: list[tuple[str, str]] = []
    if here.management and not workspace.has(Kind.MANAGEMENT) and not workspace.has_grants:
        found.append((Kind.MANAGEMENT, ""))
    is_single = here.storage and not here.per_project
    if is_single and not workspace.has(Kind.STORAGE, spaces.SHARED):
        found.append((Kind.STORAGE, spaces.SHARED))
    if here.per_project and not here.management and not workspace.known_spaces():
        found.append((Kind.STORAGE, ""))
    return found


def paused_access(workspace: Workspace) -> list[Granted]:
    """Return grants that may work again, for places where no other credential of the person works."""
    now = timezone.now()
    lasting = [
        (kind, place)
        for (kind, place), one in workspace.latest_grants.items()
        if one.grant.revoked_at is None and (one.grant.ends_at is None or one.grant.ends_at > now)
    ]
    return [lost for kind, place in lasting if (lost := lost_at(workspace, kind, place))]


def refused_tokens(workspace: Workspace) -> list[StoredToken]:
    found = StoredToken.objects.filter(person=workspace.person, refused_at__isnull=False)
    return [token for token in found if token.is_refused]


def latest_changes(workspace: Workspace) -> list[queries.Row]:
    """Return the person's latest changes, without sign-ins and sign-outs."""
    found = queries.joined(Entry.objects.filter(person=workspace.person).listed()).exclude(operation__startswith="sign-")
    return queries.rows(found.select_related("person", "through")[:CHANGES_MAX], name=workspace.known_name, joins=True)
