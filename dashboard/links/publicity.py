"""Public buckets, as tokens last saw them: a link into one of them protects nothing."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice

from django.utils import timezone

from dashboard.interfaces.storage import StorageInterface
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links.models import PublicBuckets
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import NeedsToken
from dashboard.web.parallel import settle

MOST_SPACES = 8
FRESH = timedelta(minutes=1)


def known(workspace: Workspace, spaces: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the known public buckets by space for this person's tokens. Calls no service."""
    prints = _prints(workspace, spaces)
    rows = PublicBuckets.objects.filter(space__in=prints, fingerprint__in=prints.values())
    return {row.space: frozenset(row.buckets) for row in rows if prints.get(row.space) == row.fingerprint}


def ask(workspace: Workspace, spaces: Sequence[str]) -> None:
    """S2 in parallel, for at most 8 spaces not refreshed within the last minute. Failures leave what was known."""
    prints = _prints(workspace, spaces)
    recent = PublicBuckets.objects.filter(space__in=prints, seen_at__gt=timezone.now() - FRESH)
    fresh = {row.space for row in recent if prints[row.space] == row.fingerprint}
    stale = [space for space in prints if space not in fresh]
    storages = dict(islice(_storages(workspace, stale), MOST_SPACES))
    for space, answer in zip(storages, settle(*(storage.buckets.all for storage in storages.values())), strict=True):
        if answer.value is not None:
            note(workspace, space, answer.value)


def note(workspace: Workspace, space: str, buckets: Iterable[Bucket]) -> None:
    """Store which buckets of a list are public."""
    names = sorted(bucket.id for bucket in buckets if bucket.is_public)
    PublicBuckets.objects.update_or_create(
        fingerprint=workspace.fingerprint("storage", space),
        space=space,
        defaults={"buckets": names, "seen_at": timezone.now()},
    )


def _storages(workspace: Workspace, spaces: Iterable[str]) -> Iterator[tuple[str, StorageInterface]]:
    for space in spaces:
        with suppress(NeedsToken):
            yield space, workspace.storage(space)


def _prints(workspace: Workspace, spaces: Iterable[str]) -> dict[str, str]:
    return {space: found for space in spaces if (found := workspace.fingerprint("storage", space))}
