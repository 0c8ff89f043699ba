"""Find the snapshots of a bucket that a person may see."""

from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.http import Http404

from dashboard.catalog import keys, limits, named_buckets, receipts, uploads, walk
from dashboard.catalog.lookup import Facts, bucket_of, facts_of, is_listed, source_of
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.snapshots import capture, earlier, sight
from dashboard.snapshots.body import digested
from dashboard.snapshots.manifest import IDENT, IN_TRASH, Entry, Head, Heads, Manifest, head_path, heads_at, place_of, read_head
from dashboard.snapshots.replacements import Keeper
from dashboard.snapshots.store import Damaged, Missing
from dashboard.tokens.models import Kind
from dashboard.tokens.scope import Scope
from dashboard.tokens.sight import sees_all
from dashboard.tokens.spaces import Space
from dashboard.tokens.workspace import Workspace
from dashboard.viewer.content import FIRST_BYTES, Source, read_beginning
from dashboard.viewer.looks import Kind as Look
from dashboard.viewer.looks import look_of
from dashboard.web.process.parallel import map_bounded, side_by_side

LEFT_OUT_MAX = 200
ROWS_MAX = 500
COMPARED_MAX = 5000
VERSIONS_MAX = 30
NO_TEXT = "Only text files can be compared line by line."
LONG = f"Files over {FIRST_BYTES // 1000} KB can't be compared here."


@dataclass(frozen=True, slots=True)
class Row:
    """A subfolder (`entry` is None) or an object, as it was. `since`: "changed", "deleted", "" (neither) or None (unknown)."""

    path: str
    entry: Entry | None = None
    since: str | None = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """The first rows of a folder after some key. `after`: the last of them, if there are more."""

    rows: list[Row]
    after: str

    @property
    def is_compared(self) -> bool:
        """Whether it is known what has become of its objects."""
        return all(row.since is not None for row in self.rows)


@dataclass(frozen=True, slots=True)
class Deletions:
    """What the trash of a bucket keeps, newest first. Through a grant, figures and names are read of those that are shown.

    `damaged`: the paths of those that can't be read.
    """

    _heads: list[Head]
    _scope: Scope | None
    damaged: list[str]

    def __len__(self) -> int:
        return len(self._heads)

    def between(self, start: int, end: int) -> list[Head]:
        heads = self._heads[start:end]
        return map_bounded(partial(sight.narrowed, self._scope), heads) if self._scope else heads


@dataclass(frozen=True, slots=True)
class Version:
    """An object as it was in a snapshot, and in those after it until it changed."""

    head: Head
    entry: Entry

    @property
    def is_text(self) -> bool:
        return is_text(self.entry.key, self.entry.type)


class Versions(NamedTuple):
    """The different versions of an object, newest first, and how many snapshots can't be read."""

    rows: list[Version]
    damaged: int


@dataclass(frozen=True, slots=True)
class Side:
    """One of two versions of a file to compare. `etag`: what the bucket gave it. `head`: its snapshot; None for the file now."""

    source: Source
    info: ObjectInfo
    etag: str | None
    head: Head | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The texts of two versions, unless `is_same` says that they are the same file, or `problem` why they are not compared."""

    old: str = ""
    new: str = ""
    is_same: bool = False
    problem: str = ""


def visible(workspace: Workspace, space: str, bucket: str) -> Heads:
    """Return the snapshots that the person sees, as `sight.seen` tells, newest first.

    Whose a damaged one is isn't known: who manages snapshots is told of it. Raises as `sight.require_sight`, and `StoreError`.
    """
    sight.require_sight(workspace, space)
    found = heads_at(capture.store(), capture.store().heads(place_of(space, bucket))[::-1])
    return Heads(sight.seen(workspace, found.read), found.damaged if capture.manages(workspace, space) else [])


def snapshots(workspace: Workspace, space: str, bucket: str) -> Heads:
    """Return those of `visible` that are no deletions, narrowed to what a grant holds. Raises as that."""
    found, scope = visible(workspace, space, bucket), sight.part_of(workspace, space, bucket)
    taken = [head for head in found.read if not head.is_trash]
    shown = [sight.narrowed(scope, head) for head in taken if sight.meets(scope, head)] if scope else taken
    return Heads(shown, [path for path in found.damaged if not IN_TRASH.search(path)])


def deletions(workspace: Workspace, space: str, bucket: str) -> Deletions:
    """Return the deletions that were kept of those that `visible` would. Through a grant only those of its folders.

    Raises as that.
    """
    found, scope = visible(workspace, space, bucket), sight.part_of(workspace, space, bucket)
    kept = [head for head in found.read if head.is_trash]
    held = map_bounded(partial(sight.holds_some, scope), kept) if scope else [True] * len(kept)
    shown = [head for head, is_held in zip(kept, held, strict=True) if is_held]
    return Deletions(shown, scope, [path for path in found.damaged if IN_TRASH.search(path)])


def find(workspace: Workspace, space: str, bucket: str, ident: str) -> Head:
    """Return one snapshot that `snapshots` or `deletions` would. Raises as these, and `Http404`."""
    sight.require_sight(workspace, space)
    if not IDENT.fullmatch(ident):
        raise Http404("There is no such snapshot.")
    try:
        head = read_head(capture.store(), head_path(space, bucket, ident))
    except Missing:
        raise Http404("There is no such snapshot.") from None
    scope = sight.part_of(workspace, space, bucket)
    if sight.seen(workspace, [head]) and (scope is None or sight.meets(scope, head)):
        head = sight.narrowed(scope, head) if scope else head
        if head.objects or not (scope and head.is_trash):
            return head
    raise Http404("There is no such snapshot.")


def left_out(head: Head) -> Sequence[Entry]:
    """Return the first objects that were left out, each with the reason. Raises `StoreError`."""
    return list(islice(Manifest(capture.store(), head.lists).left_out(), LEFT_OUT_MAX))


def browse(workspace: Workspace, head: Head, path: str, *, after: str) -> Folder:
    """Return a folder as it was, and what has become of its objects (S13, up to `COMPARED_MAX`). Raises `StoreError`."""
    scope, manifest = sight.part_of(workspace, head.space, head.bucket), Manifest(capture.store(), head.lists)
    found = list(islice(sight.folder(manifest, scope, head.bucket, path, after), ROWS_MAX + 1))
    shown = found[:ROWS_MAX]
    now = _now(workspace, head, path)
    rows = [Row(one) if isinstance(one, str) else Row(one.key, one, _since(one, now)) for one in shown]
    last = rows[-1].path if len(found) > ROWS_MAX else ""
    return Folder([row for row in rows if keys.name_of(row.path) != keys.PLACEHOLDER], last)


def require_something(workspace: Workspace, space: str, bucket: str, folder: str) -> None:
    """Raise `ValidationError` unless the bucket lists something in the folder (S13). The whole bucket may be empty."""
    if folder and not is_listed(workspace.storage(space), bucket, folder):
        raise ValidationError({"folder": capture.NOTHING_IN.format(keys.printable(folder))})


def entry_of(head: Head, key: str) -> Entry:
    """Return an object of a snapshot. Raises `Http404` if it isn't there or was left out, and `StoreError`."""
    entry = Manifest(capture.store(), head.lists).get(key)
    if entry is None or entry.left_out:
        raise Http404("The snapshot doesn't hold this object.")
    return entry


def versions(workspace: Workspace, space: str, bucket: str, key: str) -> Versions:
    """Return the different versions of an object in the latest snapshots that may hold it. Raises as `visible`."""
    found, seen = list[Version](), visible(workspace, space, bucket)
    damaged = len(seen.damaged)
    for head in islice((head for head in seen.read if head.may_hold(key)), VERSIONS_MAX):
        try:
            entry = Manifest(capture.store(), head.lists).get(key)
        except (Damaged, Missing):
            damaged += 1
            continue
        if entry is None or entry.left_out:
            continue
        if found and found[-1].entry.sha256 == entry.sha256:
            # The oldest snapshot of a version says when it was there already.
            found.pop()
        found.append(Version(head, entry))
    return Versions(found, damaged)


def version(workspace: Workspace, head: Head, key: str) -> Side:
    """Return a version of an object. Raises as `entry_of`."""
    entry = entry_of(head, key)
    source = earlier.source_of(workspace, head, entry)
    return Side(source, source.objects.info(head.bucket, key), entry.etag, head)


def current(workspace: Workspace, space: str, bucket: str, key: str) -> Side | None:
    """Return an object as it is now (S19); None if it is missing, or the token can't see it."""
    source = source_of(workspace, space, bucket, key)
    try:
        info = source.objects.info(bucket, key)
    except NotFound:
        return None
    return Side(source, info, info.etag)


def is_text(key: str, kind: str | None) -> bool:
    """Whether versions of an object can be compared line by line, by its name and type."""
    return look_of(key, kind).kind is Look.TEXT


def compare(old: Side, new: Side) -> Comparison:
    """Read two versions of a file, as far as the viewer shows texts: 256 KB (S18 for the file now). Raises `StoreError`."""
    sides = (old, new)
    if old.info.etag == new.info.etag or (old.etag and (old.etag, old.info.size) == (new.etag, new.info.size)):
        return Comparison(is_same=True)
    if not all(is_text(side.source.key, side.info.content_type) for side in sides):
        return Comparison(problem=NO_TEXT)
    if any((side.info.size or 0) > FIRST_BYTES for side in sides):
        return Comparison(problem=LONG)
    read = [read_beginning(side.source) for side in sides]
    if any(one.binary for one in read):
        return Comparison(problem=NO_TEXT)
    return Comparison(read[0].text, read[1].text) if all(one.is_whole for one in read) else Comparison(problem=LONG)


def present(workspace: Workspace, head: Head, entry: Entry) -> tuple[Facts | None, str]:
    """Return the object that is there now (S19), and why the bucket would refuse the one of the snapshot (S4), or ""."""
    storage = workspace.storage(head.space)
    bucket, there = side_by_side(partial(bucket_of, storage, head.bucket), partial(facts_of, storage, head.bucket, entry.key))
    return there, limits.problem(bucket, size=entry.size or 0, content_type=entry.type or uploads.UNKNOWN_TYPE) if bucket else ""


def restore(workspace: Workspace, head: Head, entry: Entry, *, replaces: bool, keeps: bool) -> tuple[bool, Head | None]:
    """Write an object as it was (S9, or S10 over another one), with type, cache control and metadata. Verify it (S19).

    With `keeps`, what it replaces is kept first. Return whether it is verified, and what was kept. Raises as `uploads.store`,
    `NotKept`, and `StoreError` before everything was sent.
    """
    keeper = Keeper(workspace, head.space, head.bucket, entry.key) if replaces and keeps else None
    with keeper or nullcontext(), closing(digested(capture.store(), entry)) as body:
        sent = uploads.store(
            workspace,
            head.space,
            head.bucket,
            entry.key,
            body,
            size=entry.size or 0,
            content_type=entry.type or uploads.UNKNOWN_TYPE,
            policy="replace" if replaces else "new",
            cache_control=entry.cache_control or "",
            metadata=entry.metadata,
            opened=keeper,
        )
    checked = receipts.check(workspace, head.space, head.bucket, [sent], start={}, parallel=side_by_side)
    return checked.verdicts[sent.key] == "checked", keeper.head if keeper else None


def targets(workspace: Workspace) -> list[Space]:
    """Return the spaces to which the person may restore."""
    return [space for space in workspace.known_spaces() if sight.sees(workspace, space.name, "upload")]


def buckets(workspace: Workspace, space: str) -> list[str]:
    """Return the names of buckets to restore to (S2), as far as they are known. None of a space that isn't one of `targets`."""
    if space not in {one.name for one in targets(workspace)}:
        return []
    try:
        listed = [bucket.id for bucket in workspace.storage(space).buckets.all()]
    except InterfaceError:
        listed = []
    return sorted({*listed, *named_buckets.names(workspace, space)}, key=str.casefold)


def require_bucket(workspace: Workspace, space: str, bucket: str) -> None:
    """Raise `ValidationError` if there is certainly no such bucket (S4), or a grant holds nothing of it."""
    granted = workspace.grant_at(Kind.STORAGE, space)
    if granted and not granted.scope.shows_bucket(bucket):
        raise ValidationError({"bucket": "Your access doesn't cover this bucket. Choose another."})
    if sight.is_gone(workspace, space, bucket):
        raise ValidationError({"bucket": f"{workspace.title(space)} has no bucket {bucket}. Choose another."})


def _now(workspace: Workspace, head: Head, path: str) -> dict[str, walk.Entry] | None:
    """Return the objects of a folder by key as they are now; None if there are too many or the service doesn't answer."""
    storage, now = workspace.storage(head.space), dict[str, walk.Entry]()
    offset: int | None = 0
    is_proof = sees_all(workspace, head.space)
    while offset is not None:
        if offset >= COMPARED_MAX:
            return None
        try:
            page = walk.list_page(storage, head.bucket, path, offset=offset)
        except InterfaceError:
            return None
        now |= {entry.key: entry for entry in page.entries}
        # An empty list is no proof: the token may not list any more.
        is_proof = is_proof or bool(page.names)
        offset = page.next_offset
    return now if is_proof else None


def _since(entry: Entry, now: dict[str, walk.Entry] | None) -> str | None:
    if now is None:
        return None
    there = now.get(entry.key)
    if there is None:
        return "deleted"
    is_alike = there.updated_at == entry.updated or there.mimetype == entry.type
    return "" if is_alike and (there.etag, there.size) == (entry.etag, entry.size) else "changed"
