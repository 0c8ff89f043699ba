"""Known public buckets, as tokens last read them (S2). A link into one of them protects nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice

from django.utils import timezone

from dashboard.interfaces.storage import StorageInterface
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.last_known import Key, of_buckets, read_since, remembered
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages.errors import NeedsToken
from dashboard.web.process.parallel import try_all

MOST_SPACES = 8
FRESH = timedelta(minutes=1)


def known(workspace: Workspace, spaces: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the known public buckets by space for this person's tokens. Calls no service."""
    return _public(remembered(_keys(workspace, spaces), list[Bucket]))


def ask(workspace: Workspace, spaces: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return `known` after S2 in parallel, for at most 8 spaces not read within a minute. Failures leave what was known."""
    keys = _keys(workspace, spaces)
    fresh = read_since(keys, timezone.now() - FRESH)
    storages = dict(islice(_storages(workspace, [space for space in keys if space not in fresh]), MOST_SPACES))
    answers = zip(storages, try_all(*(storage.buckets.all for storage in storages.values())), strict=True)
    read = {space: answer.value for space, answer in answers if answer.value is not None}
    return _public({**remembered(keys, list[Bucket]), **read})


def _public(lists: Mapping[str, Sequence[Bucket]]) -> dict[str, frozenset[str]]:
    return {space: frozenset(bucket.id for bucket in buckets if bucket.is_public) for space, buckets in lists.items()}


def _storages(workspace: Workspace, spaces: Iterable[str]) -> Iterator[tuple[str, StorageInterface]]:
    for space in spaces:
        with suppress(NeedsToken):
            yield space, workspace.storage(space)


def _keys(workspace: Workspace, spaces: Iterable[str]) -> dict[str, Key]:
    prints = {space: workspace.fingerprint("storage", space) for space in spaces}
    return {space: of_buckets(found, space) for space, found in prints.items() if found}
