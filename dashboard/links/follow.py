"""Make share links follow moved objects, and mark those of deleted ones as missing."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from dashboard.links.codes import place_digest
from dashboard.links.models import Share, Target
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

BATCH = 400
MOST_FOLDERS = 100

T = TypeVar("T")


def carry(space: str, bucket: str, pairs: Mapping[str, str], *, destination_bucket: str | None = None) -> int:
    """Update links after a move: `pairs` maps old keys to new ones. A folder (ending in "/") includes everything below it.

    Returns the count of updated targets. Links to a folder follow only if the folder itself is among the pairs.
    """
    there = destination_bucket or bucket
    moved: dict[int, Target] = {}
    with transaction.atomic():
        for target in _at(space, bucket, list(pairs)):
            target.point_to(there, pairs[target.key])
            moved[target.pk] = target
        for target, folder in _below(space, bucket, [old for old in pairs if old.endswith("/")]):
            if target.pk not in moved:
                target.point_to(there, pairs[folder] + target.key.removeprefix(folder))
                moved[target.pk] = target
        Target.objects.bulk_update(moved.values(), ["bucket", "key", "digest"], batch_size=BATCH)
    return len(moved)


def dying_ids(space: str, bucket: str, *, keys: Sequence[str] = (), folders: Sequence[str] = ()) -> set[int]:
    """Return active links that would lose an object, by keys and by folders ("" is the whole bucket)."""
    lost = {target.share_id for target in _at(space, bucket, keys)}
    lost |= {target.share_id for target, _ in _below(space, bucket, folders)}
    return {pk for some in _some(sorted(lost)) for pk in Share.objects.current().filter(pk__in=some).values_list("pk", flat=True)}


def lost(space: str, bucket: str, keys: Sequence[str]) -> None:
    """Record deleted objects: active links to just one of them become "File missing"."""
    found = {target.share_id for target in _at(space, bucket, keys) if not target.is_folder}
    for some in _some(sorted(found)):
        alone = Share.objects.current().filter(pk__in=some).annotate(number=Count("targets")).filter(number=1)
        Share.objects.filter(pk__in=list(alone.values_list("pk", flat=True))).update(gone_at=timezone.now())


def folders_lost(
    workspace: Workspace, space: str, bucket: str, is_empty: Callable[[str], bool], *, keys: Sequence[str] | None = None
) -> None:
    """Record folders emptied by deletions or moves: active links to just one of them become "File missing".

    Checks at most 100 folders, and none of which a grant shows only a part. The others are noticed when their links are opened.
    """
    granted = workspace.grant_at(Kind.STORAGE, space)
    above = None if keys is None else {"", *(key[: at + 1] for key in keys for at, letter in enumerate(key) if letter == "/")}
    alone = Share.objects.current().filter(kind=Share.Kind.OBJECTS, space=space, gone_at=None).annotate(number=Count("targets"))
    found = _targets(space, bucket).filter(is_folder=True, share__in=alone.filter(number=1)).values_list("key", "share_id")
    shares: dict[str, list[int]] = {}
    for folder, share in found:
        is_seen = granted is None or granted.scope.holds_folder(bucket, folder)
        if is_seen and (above is None or folder in above):
            shares.setdefault(folder, []).append(share)
    for folder in list(shares)[:MOST_FOLDERS]:
        if is_empty(folder):
            Share.objects.filter(pk__in=shares[folder]).update(gone_at=timezone.now())


def emptied(space: str, bucket: str) -> None:
    """Record an emptied bucket: active links to nothing else become "File missing"."""
    elsewhere = Target.objects.filter(share=OuterRef("pk")).exclude(bucket=bucket)
    inside = Share.objects.current().filter(pk__in=_targets(space, bucket).values("share"))
    inside.filter(~Exists(elsewhere)).update(gone_at=timezone.now())


def page_lost(kind: str, place: str, name: str) -> None:
    """Record that a page's subject is gone: active links to it become "File missing"."""
    about = Target.objects.filter(digest=place_digest("", name), bucket="").values("share")
    Share.objects.current().filter(kind=kind, space=place, pk__in=about).update(gone_at=timezone.now())


def _at(space: str, bucket: str, keys: Sequence[str]) -> Iterator[Target]:
    for some in _some(keys):
        yield from _targets(space, bucket).filter(digest__in=[place_digest(bucket, key) for key in some])


def _below(space: str, bucket: str, folders: Collection[str]) -> Iterator[tuple[Target, str]]:
    """Yield targets at or below these folders, each with the innermost folder. One query, as folders may be thousands."""
    wanted = frozenset(folders)
    for target in _targets(space, bucket).iterator() if wanted else ():
        above = (target.key[:end] for end in range(len(target.key), -1, -1) if not end or target.key[end - 1] == "/")
        if (folder := next((place for place in above if place in wanted), None)) is not None:
            yield target, folder


def _targets(space: str, bucket: str) -> QuerySet[Target]:
    return Target.objects.filter(share__kind=Share.Kind.OBJECTS, share__space=space, bucket=bucket)


def _some(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), BATCH):
        yield things[start : start + BATCH]
