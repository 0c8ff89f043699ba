"""Deleting objects, one (S7) or a selection (S8)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from dashboard.catalog import writes
from dashboard.catalog.lookup import is_empty
from dashboard.interfaces.errors import InterfaceError
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
    with workspace.record("S7", target=f"object {bucket}/{key}", place=space):
        workspace.storage(space).objects.delete(bucket, key)
    writes.removed(workspace, space, bucket, [key])
    _tell_links(workspace, space, bucket, [key])


def remove_many(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> Removed:
    """S8, at most 1,000 keys: the names that come back are compared with those that were sent."""
    with workspace.record("S8", target=f"{len(keys)} objects in {bucket}", place=space, before={"keys": list(keys)}) as change:
        deleted = {entry.name for entry in workspace.storage(space).objects.delete_many(bucket, keys)}
        removed = Removed(gone=[key for key in keys if key in deleted], left=[key for key in keys if key not in deleted])
        change.after = {"deleted": len(removed.gone), "left": removed.left}
    writes.removed(workspace, space, bucket, removed.gone)
    _tell_links(workspace, space, bucket, removed.gone)
    return removed


def _tell_links(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> None:
    """S13 for each shared folder, to see whether anything is left in it."""
    follow.lost(space, bucket, keys)
    storage = workspace.storage(space)
    with suppress(InterfaceError):
        follow.folders_lost(space, bucket, partial(is_empty, storage, bucket), keys=keys)
