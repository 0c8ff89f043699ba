"""What a person may see of snapshots: with a token of their own all that it took, through a grant its folders, with `read`.

The buckets, folders and keys that an address names are checked before, as on all pages (`with_workspace`).
"""

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound
from dashboard.snapshots.capture import is_on, require_store, store
from dashboard.snapshots.manifest import AFTER_SLASH, Entry, Head, Manifest
from dashboard.snapshots.trash import NAMED
from dashboard.tokens.grants import Granted
from dashboard.tokens.models import Kind
from dashboard.tokens.scope import Scope
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace

FIGURES_KEPT = 1000


def sees(workspace: Workspace, space: str, *acts: str) -> bool:
    """Whether there is a store, and a grant in use, if any, has `read` and these acts."""
    granted = workspace.grant_at(Kind.STORAGE, space)
    return is_on() and (granted is None or granted.scope.allows("read", *acts))


def require_sight(workspace: Workspace, space: str) -> None:
    """Raise `Http404` without a store, and `Stopped` for a grant without `read`.

    Raises as `Workspace.storage`, too: who may not use the service sees nothing that was taken from it.
    """
    require_store()
    # So a grant counts as used, and is checked again while a file is sent.
    workspace.storage(space)
    workspace.require_act(Kind.STORAGE, space, "read")


def part_of(workspace: Workspace, space: str, bucket: str) -> Scope | None:
    """Return the scope of the grant in use, if it holds only a part of the bucket."""
    granted = workspace.grant_at(Kind.STORAGE, space)
    return granted.scope if granted and not granted.scope.holds_bucket(bucket) else None


def seen(workspace: Workspace, heads: list[Head]) -> list[Head]:
    """Return those of a bucket's snapshots that are by the person's token, or its giver's; by a service key that reads the
    bucket now (S4), all of them.

    That is the rule of handing over, too: who replaces a service key by another one goes on seeing the same.
    """
    if not heads:
        return []
    space, granted = heads[0].space, workspace.grant_at(Kind.STORAGE, heads[0].space)
    own = {workspace.fingerprint(Kind.STORAGE, space), *_giver(granted)}
    if all(head.token in own for head in heads) or _reads(workspace, space, heads[0].bucket):
        return heads
    return [head for head in heads if head.token in own]


def meets(scope: Scope, head: Head) -> bool:
    """Whether a snapshot is of the bucket, or of a folder that is in scope or holds some of it."""
    return scope.holds_folder(head.bucket, head.folder) or bool(scope.leads(head.bucket, head.folder))


def narrowed(scope: Scope, head: Head) -> Head:
    """Return a snapshot without its figures and names, except those of the folders in scope of what the trash keeps."""
    hidden = msgspec.structs.replace(head, objects=0, bytes=0, new_bytes=0, left_out=0, unlisted=0, names=[])
    if not head.is_trash or not holds_some(scope, head):
        return hidden
    objects, size, names = _figures(tuple(head.lists), scope, head.bucket)
    return msgspec.structs.replace(hidden, objects=objects, bytes=size, names=names[: len(head.names)])


def holds_some(scope: Scope, head: Head) -> bool:
    """Whether any object of a snapshot is in scope. Reads the names, then at most a few segments."""
    if any(scope.holds_key(head.bucket, name) for name in head.names):
        return True
    if head.names_all:
        return False
    return next(inside(Manifest(store(), head.lists), scope, head.bucket), None) is not None


@lru_cache(FIGURES_KEPT)
def _figures(lists: tuple[str, ...], scope: Scope, bucket: str) -> tuple[int, int, list[str]]:
    """Return how many objects of a manifest are in scope, their bytes, and the first names. Lists are named by their bytes."""
    names, size, objects = list[str](), 0, 0
    for entry in inside(Manifest(store(), lists), scope, bucket):
        names += [entry.key] if objects < NAMED else []
        size, objects = size + (entry.size or 0), objects + 1
    return objects, size, names


def inside(manifest: Manifest, scope: Scope, bucket: str, after: str = "") -> Iterator[Entry]:
    """Yield the entries in scope behind a key, in order of keys."""
    for folder in scope.folders or (f"{bucket}/",):
        of, _, path = folder.partition("/")
        end = f"{path[:-1]}{AFTER_SLASH}" if path else ""
        if of == bucket and (not end or after < end):
            found = manifest.between(max(path, f"{after}\0") if after else path, end)
            yield from (entry for entry in found if scope.holds_key(bucket, entry.key))


def folder(manifest: Manifest, scope: Scope | None, bucket: str, path: str, after: str) -> Iterator[Entry | str]:
    """Yield what `Manifest.folder` does, as far as it is in scope or leads there."""
    if scope is None:
        return manifest.folder(path, after)
    if scope.holds_folder(bucket, path):
        found = manifest.folder(path, after)
        return (one for one in found if isinstance(one, str) or scope.holds_key(bucket, one.key))
    ways = (f"{path}{name}/" for name in scope.leads(bucket, path))
    return (way for way in ways if way > after and next(manifest.folder(way), None) is not None)


def is_gone(workspace: Workspace, space: str, bucket: str) -> bool:
    """S4: whether there is certainly no such bucket. Many tokens list the objects of a bucket that they can't see."""
    try:
        workspace.storage(space).buckets.get(bucket)
    except NotFound:
        return sees_all(workspace, space)
    except NotAllowed:
        pass
    return False


def _giver(granted: Granted | None) -> list[str]:
    return [granted.token.fingerprint] if granted and granted.token else []


def _reads(workspace: Workspace, space: str, bucket: str) -> bool:
    if not sees_all(workspace, space):
        return False
    try:
        workspace.storage(space).buckets.get(bucket)
    except InterfaceError:
        return False
    return True
