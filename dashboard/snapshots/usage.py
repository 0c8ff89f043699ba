"""How much of the store each token of a bucket uses, as administrators see it. A person's own view of snapshots is `sight`."""

from collections import defaultdict
from dataclasses import dataclass
from time import monotonic

from dashboard.snapshots import capture
from dashboard.snapshots.manifest import Head, heads_at
from dashboard.snapshots.store import Store
from dashboard.tokens.models import Kind, StoredToken

# How long a page may list the chunks of the store.
COUNT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Use:
    """How many bytes one token's snapshots and deletions of a bucket added to the store."""

    space: str
    bucket: str
    token: str
    holders: list[str]
    snapshots: int
    deletions: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The use of the store, largest first. `bytes`: what it holds; None if there are too many chunks to count now.

    `unreadable`: how many snapshots are left out here.
    """

    uses: list[Use]
    bytes: int | None
    unreadable: int


class _TooLongError(Exception):
    """Counting takes longer than a page may."""


def of_store() -> Usage:
    """Return who uses how much of the store. Raises `Http404` where there is none, and `StoreError`."""
    capture.require_store()
    store = capture.store()
    heads = heads_at(store, store.heads())
    by_use: dict[tuple[str, str, str], list[Head]] = defaultdict(list)
    for head in heads.read:
        by_use[head.space, head.bucket, head.token].append(head)
    holders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for token in StoredToken.objects.filter(kind=Kind.STORAGE).select_related("person").order_by("person__name"):
        holders[token.space, token.fingerprint].append(str(token.person))
    uses = [
        Use(
            space=space,
            bucket=bucket,
            token=token,
            holders=holders.get((space, token), []),
            snapshots=sum(not head.is_trash for head in heads),
            deletions=sum(head.is_trash for head in heads),
            bytes=sum(head.new_bytes for head in heads),
        )
        for (space, bucket, token), heads in by_use.items()
    ]
    uses.sort(key=lambda use: (-use.bytes, use.space, use.bucket, use.token))
    return Usage(uses, _used(store), len(heads.damaged))


def _used(store: Store) -> int | None:
    until = monotonic() + COUNT_SECONDS

    def check_time() -> None:
        if monotonic() > until:
            raise _TooLongError

    try:
        return store.used(check_time)
    except _TooLongError:
        return None
