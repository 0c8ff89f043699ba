"""Delete one object (S7) or a selection (S8)."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from django.core.exceptions import ValidationError

from dashboard.catalog import walk, writes
from dashboard.catalog.keys import folder_of
from dashboard.catalog.lookup import UNSEEN, Unseen, is_empty, sees
from dashboard.catalog.receipts import taken, touched
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import Part, Rule, Wanted, settle
from dashboard.links import follow
from dashboard.snapshots import trash
from dashboard.snapshots.manifest import Head
from dashboard.tokens.workspace import Workspace

AT_ONCE = 1000
# What the bucket lists of the keys to delete, by key.
Rows: TypeAlias = Mapping[str, walk.Entry]


@dataclass(frozen=True, slots=True)
class Deleted:
    """The keys that S8 reported as deleted, and the others, which were missing or not allowed: it doesn't say which.

    `why`: those that were not sent, as they could not be kept. `kept`: the snapshot of those that were.
    """

    deleted: list[str]
    left: list[str]
    why: dict[str, str] = field(default_factory=dict)
    kept: Head | None = None


def delete_object(workspace: Workspace, space: str, bucket: str, key: str, *, rows: Rows | None = None) -> Head | None:
    """Delete one object (S7). With `rows`, keep it first, and return its snapshot; raise `ValidationError` if that can't be."""
    kept = trash.Kept(keys=[key]) if rows is None else trash.keep(workspace, space, bucket, [key], rows=rows)
    if key not in kept.keys:
        raise ValidationError(f"Not deleted. {kept.why[key]}")
    target, wanted = touched(bucket, key), {"bucket": bucket, "keys": [key], "kept": kept.id}
    with trash.sparing(workspace, kept.head, [key]), settle(workspace, "S7", target=target, place=space, wanted=wanted):
        workspace.storage(space).objects.delete(bucket, key)
    after_deletion(workspace, space, wanted)
    return kept.head


def delete_many(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], *, rows: Rows | None = None) -> Deleted:
    """Delete up to 1,000 keys (S8). With `rows`, keep them first: only those that are kept are sent."""
    kept = trash.Kept(keys=list(keys)) if rows is None else trash.keep(workspace, space, bucket, keys, rows=rows)
    with trash.sparing(workspace, kept.head, kept.keys):
        sent = _delete(workspace, space, bucket, kept) if kept.keys else Deleted([], [])
    head = trash.take_out(workspace, kept.head, sent.left) if kept.head else None
    return replace(sent, why=kept.why, kept=head)


def _delete(workspace: Workspace, space: str, bucket: str, kept: trash.Kept) -> Deleted:
    """Compare the names in the answer with those sent."""
    keys = kept.keys
    with settle(
        workspace,
        "S8",
        target=f"{len(keys)} objects in {bucket}",
        place=space,
        before={"keys": keys},
        wanted={"bucket": bucket, "keys": keys, "kept": kept.id},
        touches=[touched(bucket, key) for key in keys],
    ) as change:
        names = {entry.name for entry in workspace.storage(space).objects.delete_many(bucket, keys)}
        result = _compared(keys, names)
        change.after = {"deleted": len(result.deleted), "left": result.left}
    if change.found is not None:  # The answer was lost, but reading back showed the outcome.
        result = _compared(keys, set(keys) - change.found)
    after_deletion(workspace, space, {"bucket": bucket, "keys": result.deleted})
    return result


def after_deletion(workspace: Workspace, space: str, wanted: Wanted, _left: object = None) -> None:
    """Update index and links after a deletion, also one that was settled later."""
    writes.removed(space, wanted["bucket"], wanted["keys"])
    _update_links(workspace, space, wanted["bucket"], wanted["keys"])


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> set[str] | Unseen:
    """Return the keys that still exist: S15, and S13 if it finds none."""
    bucket, keys = wanted["bucket"], wanted["keys"]
    left = taken(workspace.storage(space), bucket, keys)
    return left if left or all(sees(workspace, space, bucket, folder) for folder in set(map(folder_of, keys))) else UNSEEN


def are_deleted(left: set[str] | Unseen, _wanted: Wanted) -> bool | None:
    """Whether all keys are deleted; None if the token may not see them."""
    return None if left == UNSEEN else not left


def deleted_part(left: set[str], wanted: Wanted) -> Part | None:
    """Return the number of deleted keys if others still exist."""
    gone = [key for key in wanted["keys"] if key not in left]
    return Part(len(gone), len(wanted["keys"]), {**wanted, "keys": gone}) if gone else None


def after_refusal(workspace: Workspace, space: str, wanted: Wanted) -> None:
    """Take what was kept out of the trash again: it was found later that not all was deleted."""
    trash.spare(workspace, space, wanted["bucket"], wanted.get("kept", ""), wanted["keys"])


def _compared(keys: Sequence[str], gone: Collection[str]) -> Deleted:
    return Deleted(deleted=[key for key in keys if key in gone], left=[key for key in keys if key not in gone])


def _update_links(workspace: Workspace, space: str, bucket: str, keys: Sequence[str]) -> None:
    """Mark share links whose objects are deleted. S13 for each shared folder, to see whether it is empty now."""
    follow.lost(space, bucket, keys)
    storage = workspace.storage(space)
    with suppress(InterfaceError):
        follow.folders_lost(workspace, space, bucket, partial(is_empty, storage, bucket), keys=keys)


RULES = tuple(
    Rule(operation, read_back, are_deleted, then=after_deletion, part=deleted_part, otherwise=after_refusal)
    for operation in ("S7", "S8")
)
