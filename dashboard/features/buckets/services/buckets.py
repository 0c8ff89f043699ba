"""List spaces and buckets (S2), sorted by what the index knows of them; open buckets by name."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.core.exceptions import ValidationError

from dashboard.catalog import named_buckets
from dashboard.catalog.queries import Known
from dashboard.catalog.walk import list_page
from dashboard.interfaces.errors import NotAllowed, NotFound
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.spaces import Space
from dashboard.tokens.workspace import Workspace

UNSEEN = "No objects found. Check the spelling; the bucket may also be empty."


def list_spaces(workspace: Workspace) -> list[Space]:
    """The person's spaces by title (M1 if there is one per project)."""
    return workspace.spaces()


def list_buckets(workspace: Workspace, space: str) -> list[Bucket]:
    """S2. A token without access gets an empty list, not a refusal."""
    return workspace.storage(space).buckets.all()


def list_named(workspace: Workspace, space: str, listed: Sequence[Bucket]) -> list[Bucket]:
    """Buckets opened by name that are not listed. Only their names are known."""
    known = {bucket.id for bucket in listed}
    return [Bucket(id=name, name=name) for name in named_buckets.names(workspace, space) if name not in known]


def open_by_name(workspace: Workspace, space: str, name: str) -> None:
    """Remember a bucket that the token can't list. Raises `ValidationError` unless S4 or S13 shows it."""
    storage = workspace.storage(space)
    try:
        storage.buckets.get(name)
    except (NotFound, NotAllowed):
        if not list_page(storage, name, "").names:
            raise ValidationError(UNSEEN) from None
    named_buckets.remember(workspace, space, name)


def role_of(workspace: Workspace, space: str) -> str:
    """The role in the stored key ("service_role", "anon"), or "". Calls no service."""
    token = StoredToken.objects.filter(person=workspace.person, kind=Kind.STORAGE, space=space).first()
    return str(token.reach.get("role") or "") if token else ""


def arrange(
    buckets: Sequence[Bucket],
    states: Mapping[str, Known],
    *,
    search: str = "",
    sort: str = "name",
    descending: bool = False,
) -> list[Bucket]:
    """Filter by name or id, ignoring case, and sort; unknown values come last."""
    wanted = search.casefold()
    found = [bucket for bucket in buckets if wanted in bucket.name.casefold() or wanted in bucket.id.casefold()]
    found.sort(key=lambda bucket: (bucket.name.casefold(), bucket.name))
    if sort == "visibility":
        found.sort(key=lambda bucket: not bucket.public, reverse=descending)
    elif sort == "created":
        found.sort(key=lambda bucket: _seconds(bucket.created_at), reverse=descending)
    elif sort in CRAWLED:
        measure = CRAWLED[sort]
        whole = {name for name, known in states.items() if known.complete}
        counted = [bucket for bucket in found if bucket.id in whole]
        counted.sort(key=lambda bucket: measure(states[bucket.id]), reverse=descending)
        found = counted + [bucket for bucket in found if bucket.id not in whole]
    elif descending:
        found.reverse()
    return found


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


CRAWLED: Mapping[str, Callable[[Known], float]] = {
    "objects": lambda known: known.objects,
    "size": lambda known: known.bytes,
    "newest": lambda known: _seconds(known.newest),
}
