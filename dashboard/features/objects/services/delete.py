"""Deleting objects, one (S7) or a selection (S8)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from dashboard.catalog import writes
from dashboard.catalog.lookup import is_empty
from dashboard.features.objects.services.conflicts import taken, touched
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import Wanted, settle
from dashboard.links import follow
from dashboard.tokens.workspace import Workspace

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Removed:
    """What S8 said it deleted, and what it did not: gone before, or not allowed; it does not tell which."""

    gone: list[str]
    left: list[str]


def remove(workspace: Workspace, space: str, bucket: str, key: str) -> None:
    """S7."""
    target, wanted = touched(bucket, key), {"bucket": bucket, "keys": [key]}
    with settle(workspace, "S7", target=target, place=space, wanted=wanted):
        workspace.storage(space).objects.delete(bucket, key)
    after_deletion(workspace, space, wanted)


def remove_many(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> Removed:
    """S8, at most 1,000 keys: the names that come back are compared with those that were sent."""
    removed = Removed(gone=list(keys), left=[])
    with settle(
        workspace,
        "S8",
        target=f"{len(keys)} objects in {bucket}",
        place=space,
        before={"keys": list(keys)},
        wanted={"bucket": bucket, "keys": list(keys)},
        touches=[touched(bucket, key) for key in keys],
    ) as change:
        deleted = {entry.name for entry in workspace.storage(space).objects.delete_many(bucket, keys)}
        removed = Removed(gone=[key for key in keys if key in deleted], left=[key for key in keys if key not in deleted])
        change.after = {"deleted": len(removed.gone), "left": removed.left}
    after_deletion(workspace, space, {"bucket": bucket, "keys": removed.gone})
    return removed


def after_deletion(workspace: Workspace, space: str, wanted: Wanted, _left: object = None) -> None:
    """What follows from a deletion, whenever it is known."""
    writes.removed(workspace, space, wanted["bucket"], wanted["keys"])
    _tell_links(workspace, space, wanted["bucket"], wanted["keys"])


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> set[str]:
    """S15: the keys that are still there."""
    return taken(workspace.storage(space), wanted["bucket"], wanted["keys"])


def are_deleted(left: set[str], _wanted: Wanted) -> bool:
    return not left


def _tell_links(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> None:
    """S13 for each shared folder, to see whether anything is left in it."""
    follow.lost(space, bucket, keys)
    storage = workspace.storage(space)
    with suppress(InterfaceError):
        follow.folders_lost(space, bucket, partial(is_empty, storage, bucket), keys=keys)
