"""List spaces and buckets (S2), open one by name, create, change and delete one: S1, S4, S5 and S6."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError

from dashboard.catalog import named_buckets, writes
from dashboard.catalog.lookup import UNSEEN, Unseen
from dashboard.catalog.public_access import Look, Verdict, look, verdict
from dashboard.catalog.queries import Known
from dashboard.catalog.walk import list_page
from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound, TooLarge
from dashboard.interfaces.storage.buckets import KEEP, Bucket
from dashboard.jobs.settlement import Rule, Wanted, checked_at, observe, settle
from dashboard.links import follow
from dashboard.snapshots import trash
from dashboard.snapshots.capture import manages
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace

WRONG_TYPE = 415


def list_buckets(workspace: Workspace, space: str) -> list[Bucket]:
    """Return the buckets (S2). A token without access gets an empty list, not a refusal."""
    return workspace.storage(space).buckets.all()


def list_named(workspace: Workspace, space: str, listed: Sequence[Bucket]) -> list[Bucket]:
    """Return buckets opened by name that are not listed. Only their names are known."""
    known = {bucket.id for bucket in listed}
    return [Bucket(id=name, name=name) for name in named_buckets.names(workspace, space) if name not in known]


def open_by_name(workspace: Workspace, space: str, name: str) -> bool:
    """Remember a bucket that the token can't list. Return whether S4 or S13 shows it: if not, others may still add files to it.

    Raises `ValidationError` for a service key, which would see it.
    """
    storage = workspace.storage(space)
    is_seen = True
    try:
        storage.buckets.get(name)
    except (NotFound, NotAllowed):
        is_seen = bool(list_page(storage, name, "").names)
    if not is_seen and sees_all(workspace, space):
        raise ValidationError("There is no such bucket. Check the spelling.")
    named_buckets.remember(workspace, space, name)
    return is_seen


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
    found.sort(key=SORTS["name"])
    if sort in SORTS:
        found.sort(key=SORTS[sort], reverse=descending)
    else:
        measure = CRAWLED[sort]
        whole = {name for name, known in states.items() if known.complete}
        counted = [bucket for bucket in found if bucket.id in whole]
        counted.sort(key=lambda bucket: measure(states[bucket.id]), reverse=descending)
        found = counted + [bucket for bucket in found if bucket.id not in whole]
    return found


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


SORTS: Mapping[str, Callable[[Bucket], Any]] = {
    "name": lambda bucket: (bucket.name.casefold(), bucket.name),
    "visibility": lambda bucket: not bucket.public,
    "created": lambda bucket: _seconds(bucket.created_at),
}
CRAWLED: Mapping[str, Callable[[Known], float]] = {
    "objects": lambda known: known.objects,
    "size": lambda known: known.bytes,
    "newest": lambda known: _seconds(known.newest),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """A bucket's settings. `file_size_limit` in bytes, None for no limit of its own; no types allow every type."""

    public: bool = False
    file_size_limit: int | None = None
    allowed_mime_types: tuple[str, ...] = ()


def get_bucket(workspace: Workspace, space: str, bucket_id: str) -> Bucket:
    """Return one bucket (S4)."""
    return workspace.storage(space).buckets.get(bucket_id)


def settings_of(bucket: Bucket) -> Settings:
    return Settings(
        public=bool(bucket.public),
        file_size_limit=bucket.file_size_limit,
        allowed_mime_types=tuple(bucket.allowed_mime_types or ()),
    )


def create_bucket(workspace: Workspace, space: str, name: str, chosen: Settings) -> str:
    """Create a bucket with these settings (S1). Return a sentence about settings that the service ignored (S4), or "".

    Raises `ValidationError` at "size" or "types" for settings that the service refuses.
    """
    storage = workspace.storage(space)
    with settle(workspace, "S1", target=touched(name), place=space, wanted=_wanted(name, chosen)) as change, _at_fields():
        storage.buckets.create(
            name,
            public=chosen.public,
            file_size_limit=chosen.file_size_limit,
            allowed_mime_types=chosen.allowed_mime_types or None,
        )
        change.after = _journaled(chosen)
    return _ignored(workspace, space, name, chosen)


def keeps_trash(workspace: Workspace, space: str, bucket: str) -> bool | None:
    """Whether the trash keeps what is deleted or replaced in the bucket; None where there is none, or for a grant."""
    return bool(trash.days_of(space, bucket)) if trash.days() and manages(workspace, space) else None


def update_bucket(workspace: Workspace, space: str, bucket: Bucket, chosen: Settings, *, keeps: bool | None = None) -> str:
    """Change a bucket (S5). `public` is always sent, other members only if they differ, None to clear them.

    Who may do that also switches its trash on or off: `keeps`, unless that is None. Returns and raises the same as
    `create_bucket`.
    """
    before, kept = settings_of(bucket), keeps_trash(workspace, space, bucket.id)
    switched = keeps if keeps != kept else None
    target, wanted = touched(bucket.id), _wanted(bucket.id, chosen)
    told = _journaled(before) | ({} if switched is None else {"trash": kept})
    with (
        settle(workspace, "S5", target=target, place=space, before=told, wanted=wanted) as change,
        _at_fields(),
    ):
        workspace.storage(space).buckets.update(
            bucket.id,
            public=chosen.public,
            file_size_limit=KEEP if chosen.file_size_limit == before.file_size_limit else chosen.file_size_limit,
            allowed_mime_types=KEEP
            if chosen.allowed_mime_types == before.allowed_mime_types
            else chosen.allowed_mime_types or None,
        )
        change.after = _journaled(chosen) | ({} if switched is None else {"trash": switched})
    if switched is not None:
        trash.switch(space, bucket.id, on=switched)
    limits = (chosen.file_size_limit, chosen.allowed_mime_types)
    changed = limits != (before.file_size_limit, before.allowed_mime_types)
    return _ignored(workspace, space, bucket.id, chosen) if changed else ""


def delete_bucket(workspace: Workspace, space: str, bucket: Bucket) -> None:
    """Delete a bucket (S6). Raises `Conflict` unless it is empty."""
    before, wanted = _journaled(settings_of(bucket)), {"name": bucket.id}
    with settle(workspace, "S6", target=touched(bucket.id), place=space, before=before, wanted=wanted):
        workspace.storage(space).buckets.delete(bucket.id)
    after_deletion(workspace, space, wanted)


def check_public_access(workspace: Workspace, space: str, bucket: Bucket, key: str) -> tuple[Verdict, Look | None]:
    """Request one object without a token (S20, S21). Without a key nothing is requested."""
    if not key:
        return Verdict("neutral", "Not tested", "No file to test with was found."), None
    seen = look(workspace.storage(space), bucket.id, key)
    return verdict(seen, public=bool(bucket.public)), seen


def after_deletion(_workspace: Workspace, space: str, wanted: Wanted, _state: object = None) -> None:
    """Update index and links after a deletion, also one that was settled later."""
    writes.forgotten(space, wanted["name"])
    follow.emptied(space, wanted["name"])


def touched(name: str) -> str:
    return f"bucket {name}"


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> Bucket | Unseen | None:
    """Read the bucket back (S4, and S2 if it finds none: a token that sees no bucket at all proves nothing)."""
    try:
        return get_bucket(workspace, space, wanted["name"])
    except NotFound:
        return None if sees_all(workspace, space) or workspace.storage(space).buckets.all() else UNSEEN


def is_created(bucket: Bucket | Unseen | None, wanted: Wanted) -> bool | None:
    """Whether the bucket exists and is as public as wanted. Limits don't count, as older services ignore them."""
    if bucket == UNSEEN:
        return None
    return bucket is not None and bool(bucket.public) == wanted["public"]


def has_settings(bucket: Bucket | Unseen | None, wanted: Wanted) -> bool | None:
    if bucket == UNSEEN:
        return None
    return bucket is not None and _wanted(wanted["name"], settings_of(bucket)) == wanted


def is_deleted(bucket: Bucket | Unseen | None, _wanted: Wanted) -> bool | None:
    return None if bucket == UNSEEN else bucket is None


def observe_list(workspace: Workspace, space: str, buckets: Sequence[Bucket]) -> None:
    """Settle pending writes by a list just read (S2). An empty list proves nothing, as the token may see no buckets."""
    there = {touched(bucket.id): bucket for bucket in buckets}
    for touch in checked_at(space) if there else ():
        if touch.startswith(touched("")):
            observe(workspace, space, there.get(touch), "S1", "S5", "S6", of=touch)


@contextmanager
def _at_fields() -> Iterator[None]:
    """Turn the service's refusal of a limit or type into an error at its field."""
    try:
        yield
    except TooLarge as error:
        said = f" It reported: “{error.text}”" if error.text else ""
        if error.status == WRONG_TYPE:
            raise ValidationError({"types": f"The service doesn't accept one of these types.{said}"}) from error
        words = f"Above the service's own limit. Choose a smaller one, or none.{said}"
        raise ValidationError({"size": words}) from error


def _ignored(workspace: Workspace, space: str, bucket_id: str, chosen: Settings) -> str:
    """Return a sentence about limits that the service accepted but ignored, as older ones do; else "" (S4)."""
    if chosen.file_size_limit is None and not chosen.allowed_mime_types:
        return ""
    try:
        now = settings_of(get_bucket(workspace, space, bucket_id))
    except InterfaceError:
        return "The limits could not be verified."
    lost = [
        words
        for words, differs in (
            ("the size limit", now.file_size_limit != chosen.file_size_limit),
            ("the types", now.allowed_mime_types != chosen.allowed_mime_types),
        )
        if differs
    ]
    if not lost:
        return ""
    return f"The service ignored {' and '.join(lost)}; older versions don't support bucket limits."


def _wanted(name: str, chosen: Settings) -> dict[str, object]:
    types = sorted(chosen.allowed_mime_types)
    return {"name": name, "public": chosen.public, "file_size_limit": chosen.file_size_limit, "types": types}


def _journaled(chosen: Settings) -> dict[str, object]:
    return {
        "public": chosen.public,
        "file_size_limit": chosen.file_size_limit,
        "allowed_mime_types": list(chosen.allowed_mime_types) or None,
    }


RULES = (
    Rule("S1", read_back, is_created),
    Rule("S5", read_back, has_settings),
    Rule("S6", read_back, is_deleted, then=after_deletion),
)
