"""Find the snapshots of a bucket that a person may see."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from django.http import Http404

from dashboard.catalog import keys, limits, named_buckets, receipts, uploads, walk
from dashboard.catalog.lookup import Facts, facts_of
from dashboard.interfaces.errors import InterfaceError
from dashboard.snapshots import capture
from dashboard.snapshots.body import Body
from dashboard.snapshots.manifest import Entry, Head, Manifest, head_path, place_of, read_head, read_heads
from dashboard.snapshots.store import Missing
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import side_by_side

LEFT_OUT_MAX = 200
ROWS_MAX = 500
VERSIONS_MAX = 30
_IDENT = re.compile(r"[0-9TZ]+-[0-9]+")


@dataclass(frozen=True, slots=True)
class Row:
    """A subfolder (`entry` is None) or an object, as it was. `since`: "changed", "deleted" or "", if that is known."""

    path: str
    entry: Entry | None = None
    since: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """The first rows of a folder after some key. `after`: the last of them, if there are more."""

    rows: list[Row]
    after: str


@dataclass(frozen=True, slots=True)
class Version:
    """An object as it was in a snapshot, and in those after it until it changed."""

    head: Head
    entry: Entry


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


def deletions(workspace: Workspace, space: str, bucket: str) -> list[Head]:
    """Return the deletions that were kept of those that `visible` would, newest first. Raises as that."""
    return [head for head in visible(workspace, space, bucket) if head.is_trash]


def find(workspace: Workspace, space: str, bucket: str, ident: str) -> Head:
    """Return one snapshot that `visible` would. Raises as that, and `Http404`."""
    capture.require_own(workspace, space)
    if not _IDENT.fullmatch(ident):
        raise Http404("There is no such snapshot.")
    try:
        head = read_head(capture.store(), head_path(space, bucket, ident))
    except Missing:
        raise Http404("There is no such snapshot.") from None
    if head.token != workspace.fingerprint(Kind.STORAGE, space) and not _reads(workspace, space, bucket):
        raise Http404("There is no such snapshot.")
    return head


def left_out(head: Head) -> Sequence[Entry]:
    """Return the first objects that were left out, each with the reason. Raises `StoreError`."""
    return list(islice(Manifest(capture.store(), head.lists).left_out(), LEFT_OUT_MAX))


def browse(workspace: Workspace, head: Head, path: str, *, after: str) -> Folder:
    """Return a folder as it was, and what has become of its objects (S13, up to 1,000). Raises `StoreError`."""
    found = list(islice(Manifest(capture.store(), head.lists).folder(path, after), ROWS_MAX + 1))
    shown = found[:ROWS_MAX]
    now = _now(workspace, head, path)
    rows = [Row(one) if isinstance(one, str) else Row(one.key, one, _since(one, now)) for one in shown]
    last = rows[-1].path if len(found) > ROWS_MAX else ""
    return Folder([row for row in rows if keys.name_of(row.path) != keys.PLACEHOLDER], last)


def entry_of(head: Head, key: str) -> Entry:
    """Return an object of a snapshot. Raises `Http404` if it isn't there or was left out, and `StoreError`."""
    entry = Manifest(capture.store(), head.lists).get(key)
    if entry is None or entry.left_out:
        raise Http404("The snapshot doesn't hold this object.")
    return entry


def versions(workspace: Workspace, space: str, bucket: str, key: str) -> list[Version]:
    """Return the different versions of an object in the latest snapshots, newest first. Raises as `visible`."""
    found: list[Version] = []
    for head in visible(workspace, space, bucket)[:VERSIONS_MAX]:
        entry = Manifest(capture.store(), head.lists).get(key)
        if entry is None or entry.left_out:
            continue
        if found and found[-1].entry.sha256 == entry.sha256:
            # The oldest snapshot of a version says when it was there already.
            found.pop()
        found.append(Version(head, entry))
    return found


def present(workspace: Workspace, head: Head, entry: Entry) -> tuple[Facts | None, str]:
    """Return the object that is there now (S19), and why the bucket would refuse the one of the snapshot (S4), or ""."""
    storage = workspace.storage(head.space)
    bucket, there = side_by_side(partial(storage.buckets.get, head.bucket), partial(facts_of, storage, head.bucket, entry.key))
    problem = limits.problem(bucket, size=entry.size or 0, content_type=entry.type or uploads.UNKNOWN_TYPE)
    return there, problem


def restore(workspace: Workspace, head: Head, entry: Entry, *, replaces: bool) -> bool:
    """Write an object as it was (S9, or S10 over another one), with type, cache control and metadata. Verify it (S19).

    Return whether it is verified. Raises as `uploads.store`, and `StoreError` before everything was sent.
    """
    sent = uploads.store(
        workspace,
        head.space,
        head.bucket,
        entry.key,
        Body(capture.store(), entry),
        size=entry.size or 0,
        content_type=entry.type or uploads.UNKNOWN_TYPE,
        policy="replace" if replaces else "new",
        cache_control=entry.cache_control or "",
        metadata=entry.metadata,
    )
    checked = receipts.check(workspace, head.space, head.bucket, [sent], start={}, parallel=side_by_side)
    return checked.verdicts[sent.key] == "checked"


def buckets(workspace: Workspace, head: Head) -> list[str]:
    """Return the names of buckets to restore to (S2), as far as they are known."""
    try:
        listed = [bucket.id for bucket in workspace.storage(head.space).buckets.all()]
    except InterfaceError:
        listed = []
    return sorted({head.bucket, *listed, *named_buckets.names(workspace, head.space)}, key=str.casefold)


def _now(workspace: Workspace, head: Head, path: str) -> dict[str, walk.Entry] | None:
    """Return the objects of a folder by key as they are now; None if there are too many or the service doesn't answer."""
    try:
        page = walk.list_page(workspace.storage(head.space), head.bucket, path)
    except InterfaceError:
        return None
    # An empty list is no proof: the token may not list any more.
    is_known = page.next_offset is None and (page.names or sees_all(workspace, head.space))
    return {entry.key: entry for entry in page.entries} if is_known else None


def _since(entry: Entry, now: dict[str, walk.Entry] | None) -> str:
    if now is None:
        return ""
    there = now.get(entry.key)
    if there is None:
        return "deleted"
    return "" if (there.etag, there.size) == (entry.etag, entry.size) else "changed"


def _reads(workspace: Workspace, space: str, bucket: str) -> bool:
    if not sees_all(workspace, space):
        return False
    try:
        workspace.storage(space).buckets.get(bucket)
    except InterfaceError:
        return False
    return True
