"""Buckets of one space, as a person sees and changes them: operations S1, S2 and S4 to S6."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.urls import reverse

from dashboard.features.buckets.limits import in_words
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.storage.buckets import KEEP, Bucket
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.spaces import Space
from dashboard.tokens.workspace import Workspace

SAMPLE = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be chosen of a bucket. `file_size_limit` is in bytes, None for no limit of its own. No types mean every type."""

    public: bool = False
    file_size_limit: int | None = None
    allowed_mime_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. `href` is empty for a bucket whose id no address can carry."""

    id: str
    name: str
    is_public: bool
    limit: str
    types: str
    created: str
    created_at: str
    changed: str
    changed_at: str
    href: str
    edit_href: str
    delete_href: str


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """One storage address, ready to print."""

    title: str
    name: str
    has_token: bool
    href: str
    token_href: str


@dataclass(frozen=True, slots=True)
class Sample:
    """The first names in a bucket, for somebody about to publish or delete it. `known` is false when the service did not tell."""

    names: tuple[str, ...]
    has_more: bool
    known: bool = True


def list_spaces(workspace: Workspace) -> list[Space]:
    """Every space the person can name, by title (M1 where there is one for each project)."""
    return workspace.spaces()


def space_rows(found: Sequence[Space], *, search: str = "") -> list[SpaceRow]:
    """Lines ready to print, of the spaces whose title or name contains the searched text, whatever its case."""
    wanted = search.casefold()
    token_form = reverse("account:token_new")
    return [
        SpaceRow(
            title=space.title,
            name=space.name,
            has_token=space.has_token,
            href=reverse("buckets:index", args=[space.name]),
            token_href=f"{token_form}?kind=storage&space={space.name}",
        )
        for space in found
        if wanted in space.title.casefold() or wanted in space.name
    ]


def list_buckets(workspace: Workspace, space: str) -> list[Bucket]:
    """Every bucket that the token may see (S2), in no order. A weaker token gets an empty list, not a refusal."""
    return workspace.storage(space).buckets.all()


def role_of(workspace: Workspace, space: str) -> str:
    """The role that the stored key claims ("service_role", "anon"), as far as it was readable; empty otherwise. Asks nobody."""
    token = StoredToken.objects.filter(person=workspace.person, kind=Kind.STORAGE, space=space).first()
    return str(token.reach.get("role") or "") if token else ""


def arrange(buckets: Sequence[Bucket], *, search: str = "", sort: str = "name", descending: bool = False) -> list[Bucket]:
    """The buckets whose name or id contains the searched text, whatever its case, sorted."""
    wanted = search.casefold()
    found = [bucket for bucket in buckets if wanted in bucket.name.casefold() or wanted in bucket.id.casefold()]
    found.sort(key=lambda bucket: (bucket.name.casefold(), bucket.name))
    if sort == "visibility":
        found.sort(key=lambda bucket: not bucket.public, reverse=descending)
    elif sort in ("created", "changed"):
        found.sort(key=lambda bucket: _moment(bucket, sort), reverse=descending)
    elif descending:
        found.reverse()
    return found


def rows_of(buckets: Sequence[Bucket], space: str) -> list[Row]:
    """Lines ready to print, in the order given."""
    base = reverse("buckets:index", args=[space])
    return [_row(bucket, base) for bucket in buckets]


def get_bucket(workspace: Workspace, space: str, bucket_id: str) -> Bucket:
    """One bucket, freshly read (S4)."""
    return workspace.storage(space).buckets.get(bucket_id)


def settings_of(bucket: Bucket) -> Settings:
    return Settings(
        public=bool(bucket.public),
        file_size_limit=bucket.file_size_limit,
        allowed_mime_types=tuple(bucket.allowed_mime_types or ()),
    )


def create_bucket(workspace: Workspace, space: str, name: str, chosen: Settings) -> None:
    """Create a bucket (S1). What was not chosen is not sent."""
    with workspace.record("S1", target=f"bucket {name}", place=space) as change:
        workspace.storage(space).buckets.create(
            name,
            public=chosen.public,
            file_size_limit=chosen.file_size_limit,
            allowed_mime_types=chosen.allowed_mime_types or None,
        )
        change.after = _journaled(chosen)


def update_bucket(workspace: Workspace, space: str, bucket: Bucket, chosen: Settings) -> None:
    """Change a bucket (S5): `public` is always sent, the other members only where they differ, None to clear them."""
    before = settings_of(bucket)
    with workspace.record("S5", target=f"bucket {bucket.id}", place=space, before=_journaled(before)) as change:
        workspace.storage(space).buckets.update(
            bucket.id,
            public=chosen.public,
            file_size_limit=KEEP if chosen.file_size_limit == before.file_size_limit else chosen.file_size_limit,
            allowed_mime_types=KEEP
            if chosen.allowed_mime_types == before.allowed_mime_types
            else chosen.allowed_mime_types or None,
        )
        change.after = _journaled(chosen)


def delete_bucket(workspace: Workspace, space: str, bucket: Bucket) -> None:
    """Delete an empty bucket (S6). Raises `Conflict` while something is in it."""
    with workspace.record("S6", target=f"bucket {bucket.id}", place=space, before=_journaled(settings_of(bucket))):
        workspace.storage(space).buckets.delete(bucket.id)


def sample_of(workspace: Workspace, space: str, bucket_id: str) -> Sample:
    """The first names in the root of a bucket (S13). A failure here stops nobody: the sample is then unknown."""
    try:
        entries = workspace.storage(space).objects.all(bucket_id, limit=SAMPLE + 1)
    except InterfaceError:
        return Sample(names=(), has_more=False, known=False)
    names = tuple(f"{entry.name}/" if entry.is_folder else entry.name for entry in entries[:SAMPLE])
    return Sample(names=names, has_more=len(entries) > SAMPLE)


def _journaled(chosen: Settings) -> dict[str, object]:
    return {
        "public": chosen.public,
        "file_size_limit": chosen.file_size_limit,
        "allowed_mime_types": list(chosen.allowed_mime_types) or None,
    }


def _moment(bucket: Bucket, sort: str) -> float:
    moment = bucket.created_at if sort == "created" else bucket.updated_at
    return moment.timestamp() if moment else 0.0


def _row(bucket: Bucket, base: str) -> Row:
    segment = quote(bucket.id, safe="")
    reachable = bucket.id not in ("", ".", "..") and "/" not in bucket.id
    created, created_at = _day(bucket.created_at)
    changed, changed_at = _day(bucket.updated_at)
    return Row(
        id=bucket.id,
        name=bucket.name,
        is_public=bool(bucket.public),
        limit="No limit" if bucket.file_size_limit is None else in_words(bucket.file_size_limit),
        types=", ".join(bucket.allowed_mime_types or ()) or "Every type",
        created=created,
        created_at=created_at,
        changed=changed,
        changed_at=changed_at,
        href=f"{base}{segment}/" if reachable else "",
        edit_href=f"{base}~edit/{segment}/" if reachable else "",
        delete_href=f"{base}~delete/{segment}/" if reachable else "",
    )


def _day(moment: datetime | None) -> tuple[str, str]:
    return (f"{moment:%-d %b %Y}", moment.isoformat()) if moment else ("", "")
