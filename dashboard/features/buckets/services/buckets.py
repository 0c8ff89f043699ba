"""The spaces, and the buckets of one with what is known of their contents: S2 and what was crawled."""

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

UNSEEN = "Your token sees nothing in a bucket of this name: check the spelling, or whether the bucket is empty."


def list_spaces(workspace: Workspace) -> list[Space]:
    """Every space the person can name, by title (M1 where there is one for each project)."""
    return workspace.spaces()


def list_buckets(workspace: Workspace, space: str) -> list[Bucket]:
    """Every bucket that the token may see (S2), in no order. A weaker token gets an empty list, not a refusal."""
    return workspace.storage(space).buckets.all()


def list_named(workspace: Workspace, space: str, listed: Sequence[Bucket]) -> list[Bucket]:
    """The buckets that were opened by name, without those that are listed. Of these nothing but the name is known."""
    known = {bucket.id for bucket in listed}
    return [Bucket(id=name, name=name) for name in named_buckets.names(workspace, space) if name not in known]


def open_by_name(workspace: Workspace, space: str, name: str) -> None:
    """Remember a bucket for a token that sees no buckets (S4, or S13 for what lies in it). `ValidationError` where neither shows
    it to the token."""
    storage = workspace.storage(space)
    try:
        storage.buckets.get(name)
    except (NotFound, NotAllowed):
        if not list_page(storage, name, "").names:
            raise ValidationError(UNSEEN) from None
    named_buckets.remember(workspace, space, name)


def role_of(workspace: Workspace, space: str) -> str:
    """The role that the stored key claims ("service_role", "anon"), as far as it was readable; empty otherwise. Asks nobody."""
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
    """The buckets whose name or id contains the searched text, whatever its case, sorted; what is not known stands last."""
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
