"""Find the snapshots of a bucket that a person may see."""

from collections.abc import Sequence
from itertools import islice

from django.http import Http404

from dashboard.interfaces.errors import InterfaceError
from dashboard.snapshots import capture
from dashboard.snapshots.manifest import Entry, Head, Manifest, place_of, read_heads
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace

LEFT_OUT_MAX = 200


def visible(workspace: Workspace, space: str, bucket: str) -> list[Head]:
    """Return the snapshots by the person's token, newest first; by a service key that reads the bucket now (S4), all of them.

    Raises `Http404` where there is no store, `Stopped` for a grant, and `StoreError`.
    """
    capture.require_own(workspace, space)
    token = workspace.fingerprint(Kind.STORAGE, space)
    found = read_heads(capture.store(), place_of(space, bucket))[::-1]
    if all(head.token == token for head in found) or _reads(workspace, space, bucket):
        return found
    return [head for head in found if head.token == token]


def find(workspace: Workspace, space: str, bucket: str, ident: str) -> Head:
    """Return one snapshot. Raises as `visible`, and `Http404`."""
    for head in visible(workspace, space, bucket):
        if head.id == ident:
            return head
    raise Http404("There is no such snapshot.")


def left_out(head: Head) -> Sequence[Entry]:
    """Return the first objects that were left out, each with the reason. Raises `StoreError`."""
    return list(islice(Manifest(capture.store(), head.lists).left_out(), LEFT_OUT_MAX))


def _reads(workspace: Workspace, space: str, bucket: str) -> bool:
    if not sees_all(workspace, space):
        return False
    try:
        workspace.storage(space).buckets.get(bucket)
    except InterfaceError:
        return False
    return True
