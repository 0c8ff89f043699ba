"""Plan a restoration: which objects of a snapshot are written, replaced or left, and which can't be. Changes nothing."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from operator import attrgetter
from time import monotonic
from typing import Any

from dashboard.catalog import contents, items, limits, uploads, walk
from dashboard.catalog.keys import PLACEHOLDER, folder_of, name_of, printable
from dashboard.catalog.lookup import present
from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.selection import Selection
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotAllowed, NotFound
from dashboard.interfaces.names import upload_problem
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.jobs.batch import DELETES, Batch, Item, Stop
from dashboard.jobs.models import Job, JobItem
from dashboard.jobs.plans import SKIP, Plan, Policy
from dashboard.snapshots import deletions, replacements, trash
from dashboard.snapshots.capture import in_store, store
from dashboard.snapshots.manifest import AFTER_SLASH, Entry, Head, Manifest, head_path, read_head
from dashboard.snapshots.sight import inside, part_of
from dashboard.snapshots.store import Missing
from dashboard.tokens.grants import Granted
from dashboard.tokens.guard import lacking
from dashboard.tokens.models import Kind
from dashboard.tokens.scope import Scope
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.text import bytes_text, counted

STEP_SECONDS = 3.0
COMPARED_AT_ONCE = 5000
# Named in the plan of those that are deleted.
NAMED = 5
# The cursor has it once what is deleted is looked for.
REST = "rest"
LEAVING = Policy(SKIP, "Leave them", "Keep the objects that are there now.")
OTHER = "Another object exists"
GONE = "The snapshot was deleted."
NOT_COVERED = "Your access doesn't cover this folder there."
NEW_VALUES = "The service sets owner and time of creation anew."


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """What is restored of a snapshot, and where to. `token`: the fingerprint of the one that reads the snapshot.

    `deletes`: the folder, "" for the bucket, in which is deleted what was stored after the snapshot; None: nothing is.
    """

    selection: Selection
    snapshot: str
    token: str
    to_space: str
    to_bucket: str
    deletes: str | None = None

    @property
    def path(self) -> str:
        """The path of the snapshot's head."""
        return head_path(self.selection.space, self.selection.bucket, self.snapshot)

    @property
    def what(self) -> str:
        return "everything" if self.selection.filter == EVERYTHING else self.selection.sentence()

    def as_parameters(self) -> dict[str, Any]:
        """Return plain JSON for a job. `space`, `bucket` and `token` are what every job of the store has."""
        return {
            "space": self.selection.space,
            "bucket": self.selection.bucket,
            "token": self.token,
            "selection": self.selection.as_parameters(),
            "snapshot": self.snapshot,
            "to_space": self.to_space,
            "to_bucket": self.to_bucket,
            "deletes": self.deletes,
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Restoration":
        return cls(
            selection=Selection.from_parameters(parameters["selection"]),
            snapshot=parameters["snapshot"],
            token=parameters["token"],
            to_space=parameters["to_space"],
            to_bucket=parameters["to_bucket"],
            deletes=parameters.get("deletes"),
        )


@dataclass(frozen=True, slots=True)
class Bars:
    """What the bucket, where it is seen, and a grant, if one is in use there, forbid."""

    target: Bucket | None
    granted: Granted | None
    bucket: str

    def reach(self, entry: Entry) -> bool:
        return self.granted is None or self.granted.scope.holds_key(self.bucket, entry.key)

    def problem(self, entry: Entry, *, replaces: bool) -> str:
        """Say why the object can't be written there; empty if it can."""
        size, kind = entry.size or 0, entry.type or uploads.UNKNOWN_TYPE
        if entry.left_out:
            return f"It was left out of the snapshot. {entry.left_out}"
        if problem := upload_problem(entry.key, size):
            return problem
        # The service asks for no type of a folder's marker.
        is_marker = name_of(entry.key) == PLACEHOLDER
        if self.target and not is_marker and (problem := limits.problem(self.target, size=size, content_type=kind)):
            return problem
        if not self.reach(entry):
            return NOT_COVERED
        return lacking(self.granted, "change") if self.granted and replaces else ""


def head_of(wanted: Restoration) -> Head:
    """Return the snapshot. Raises `Stop` once it was deleted, and `StoreError`."""
    try:
        return read_head(store(), wanted.path)
    except Missing:
        raise Stop(GONE) from None


def vouched(workspace: Workspace, head: Head, selection: Selection) -> str | None:
    """Return the folder, "" for the bucket, in which a snapshot tells what was not there; None if it can't, or only a part of one
    is selected. Raises `StoreError`.

    It has to be all of it, or one of its folders, and hold something. It must list every key, and be taken with the token in use,
    which sees every object; a grant has to hold all of the folder, and `delete`. The trash holds only what was deleted.
    """
    if selection.filter != EVERYTHING and not (selection.folders and selection.only):
        return None
    folder = head.folder if selection.filter == EVERYTHING else selection.only
    # What a grantee sees of a head is narrowed.
    whole = read_head(store(), head.path)
    granted = workspace.grant_at(Kind.STORAGE, head.space)
    token = granted.token.fingerprint if granted and granted.token else workspace.fingerprint(Kind.STORAGE, head.space)
    is_held = granted is None or (granted.scope.holds_folder(head.bucket, folder) and granted.scope.allows("upload", "delete"))
    is_told = folder.startswith(head.folder) and not (whole.is_trash or whole.unlisted)
    holds_some = any(Manifest(store(), whole.lists).folder(folder))
    return folder if is_told and holds_some and is_held and token == whole.token and sees_all(workspace, head.space) else None


def is_deletion(row: JobItem) -> bool:
    """Whether an item is an object to delete, as the snapshot doesn't hold it."""
    return DELETES in row.parameters


def plan(workspace: Workspace, batch: Batch) -> None:
    """Compare the selected objects with those that are there (S13, and S19 for those written again) and with what the bucket
    refuses (S4), for a few seconds.

    Then find what is there besides (S13), if that is to be deleted.
    """
    with in_store(workspace, batch):
        if REST in batch.cursor:
            _plan_deletions(workspace, batch)
        else:
            _plan_writes(workspace, batch)


def _plan_writes(workspace: Workspace, batch: Batch) -> None:
    wanted, until = Restoration.from_parameters(batch.parameters), monotonic() + STEP_SECONDS
    target = _target(workspace, wanted)
    bars = Bars(target, workspace.grant_at(Kind.STORAGE, wanted.to_space), wanted.to_bucket)
    scope = part_of(workspace, wanted.selection.space, wanted.selection.bucket)
    storage = workspace.storage(wanted.to_space)
    manifest = Manifest(store(), head_of(wanted).lists)

    def look(of: tuple[str, list[Entry]]) -> dict[str, walk.Entry]:
        folder, entries = of
        return present(storage, wanted.to_bucket, folder, [entry.key for entry in entries])

    batch.facts["limits"] = limits.in_words(target) if target else ""
    batch.facts["days"] = trash.days_of(wanted.to_space, wanted.to_bucket)
    while True:
        entries = list(islice(_selected(manifest, wanted.selection, scope, batch.cursor.get("after", "")), COMPARED_AT_ONCE))
        by_folder: dict[str, list[Entry]] = defaultdict(list)
        for entry in filter(bars.reach, entries):
            by_folder[folder_of(entry.key)].append(entry)
        found = batch.map(look, by_folder.items())
        there = {key: entry for folder in found for key, entry in folder.items()}
        pairs = [(entry, there[entry.key]) for entry in entries if entry.key in there]
        alike = batch.map(partial(_is_same, storage, wanted.to_bucket), pairs)
        same = {entry.key for (entry, _), is_alike in zip(pairs, alike, strict=True) if is_alike}
        batch.add(_items(batch, entries, there, same, bars))
        liveness.note()
        is_last = len(entries) < COMPARED_AT_ONCE
        end = None if wanted.deletes is None else {REST: True}
        batch.advance(end if is_last else {"after": entries[-1].key}, seen=len(entries))
        if is_last or monotonic() > until or batch.stopping:
            return


def _plan_deletions(workspace: Workspace, batch: Batch) -> None:
    """Add what was stored after the snapshot. What is older and not in it stays: it came while that was taken, or was erased."""
    wanted, facts = Restoration.from_parameters(batch.parameters), batch.facts
    head = head_of(wanted)
    manifest = Manifest(store(), head.lists)
    there = Selection(wanted.to_space, wanted.to_bucket, folders=(wanted.deletes or "",))
    for block in contents.read(workspace, batch, there):
        other = [entry for entry in sorted(block.entries, key=attrgetter("key")) if manifest.get(entry.key) is None]
        later = [entry for entry in other if entry.updated_at and entry.updated_at > head.ended]
        batch.add(items.item(entry, {DELETES: deletions.version_of(entry)}) for entry in later)
        facts["extra"] = facts.get("extra", 0) + len(later)
        facts["extra bytes"] = facts.get("extra bytes", 0) + sum(entry.size or 0 for entry in later)
        facts["extra names"] = [*facts.get("extra names", ()), *(printable(entry.key) for entry in later)][:NAMED]
        facts["older"] = facts.get("older", 0) + len(other) - len(later)
        deletions.count_links(workspace, batch, replace(there, folders=()), [entry.key for entry in later])
        liveness.note()
        batch.advance({**block.cursor, REST: True} if block.cursor else None, seen=len(block.entries))


def describe(job: Job) -> Plan:
    """Say what the plan would write, replace, leave and delete."""
    wanted, facts = Restoration.from_parameters(job.parameters), job.facts
    refused, same = facts.get("refused", 0), facts.get("same", 0)
    replaced = job.conflicts - refused
    extra = facts.get("extra", 0)
    written = (job.total or 0) - job.conflicts - extra
    lines = [
        f"{written:,} {_are(written)} written." if written else "",
        f"{replaced:,} {_are(replaced)} there, but not as in the snapshot." if replaced else "",
        f"{same:,} {_are(same)} the same there, and left." if same else "",
        f"{refused:,} can't be restored; see the list. {facts.get('limits', '')}".strip() if refused else "",
        "Type, Cache-Control and metadata are those of the snapshot.",
        NEW_VALUES,
        *(_deleted(facts) if wanted.deletes is not None else ()),
    ]
    amount = f"{counted(written + replaced, 'object')}, {bytes_text(facts.get('bytes', 0))}"
    besides = f"{counted(extra, 'object')} that came later, {bytes_text(facts.get('extra bytes', 0))}"
    left = f" {lines[2]}" if same and not job.total else ""
    return Plan(
        f"Restore {wanted.what} to {wanted.to_bucket}: {amount}.{f' Delete {besides}.' if extra else left}",
        details=tuple(filter(None, lines)),
        policies=(LEAVING, *replacements.policies(facts.get("days", 0))) if replaced else (),
        policy=SKIP,
        conflicts=job.conflicts,
        typed=str(extra) if extra else "",
        danger=bool(extra),
        button="Restore and delete" if extra else "Restore them",
    )


def _target(workspace: Workspace, wanted: Restoration) -> Bucket | None:
    """Return the bucket to write to, for its limits (S4). None if the token may not see it."""
    try:
        return workspace.storage(wanted.to_space).buckets.get(wanted.to_bucket)
    except NotFound:
        if sees_all(workspace, wanted.to_space):
            raise Stop(f"There is no bucket {wanted.to_bucket}.") from None
        return None
    except NotAllowed:
        return None


def _selected(manifest: Manifest, selection: Selection, scope: Scope | None, after: str) -> Iterator[Entry]:
    """Yield the selected entries behind a key, in order of keys; of those only what is in scope."""
    if scope and selection.filter == EVERYTHING:
        yield from inside(manifest, scope, selection.bucket, after)
        return
    if selection.filter == EVERYTHING:
        yield from manifest.between(f"{after}\0" if after else "", "")
        return
    ranges = [(key, f"{key}\0") for key in selection.keys]
    ranges += [(folder, f"{folder[:-1]}{AFTER_SLASH}") for folder in selection.folders]
    for first, end in sorted(ranges):
        if not after or after < end:
            found = manifest.between(max(first, f"{after}\0") if after else first, end)
            yield from (entry for entry in found if scope is None or scope.holds_key(selection.bucket, entry.key))


def _items(
    batch: Batch, entries: Sequence[Entry], there: Mapping[str, walk.Entry], same: Collection[str], bars: Bars
) -> Iterator[Item]:
    """Yield what has to be restored, and what can't be, with the reason. Adds them to the job's facts."""
    facts = batch.facts
    for entry in entries:
        now = there.get(entry.key)
        row = walk.Entry(entry.key, size=entry.size)
        is_same = entry.key in same
        if problem := bars.problem(entry, replaces=now is not None and not is_same):
            facts["refused"] = facts.get("refused", 0) + 1
            yield items.item(row, {"problem": problem}, conflict=problem)
        elif is_same:
            facts["same"] = facts.get("same", 0) + 1
        else:
            facts["bytes"] = facts.get("bytes", 0) + (entry.size or 0)
            known = {"etag": entry.etag, "type": entry.type} | ({"there": now.etag} if now else {})
            yield items.item(row, known, conflict=OTHER if now else "")


def _is_same(storage: StorageInterface, bucket: str, pair: tuple[Entry, walk.Entry]) -> bool:
    """Whether the object is there as it was: its bytes and, if it was written again, its type, cache control and metadata (S19).

    Of a folder's marker nothing else matters. Runs in a thread.
    """
    entry, now = pair
    if now.is_marker or not entry.etag or (now.etag, now.size) != (entry.etag, entry.size):
        return now.is_marker
    if now.updated_at == entry.updated:
        return True
    try:
        info = storage.objects.info(bucket, entry.key)
    except (NotFound, NotAllowed):
        return False
    told = (info.content_type or now.mimetype, info.cache_control, info.metadata or None)
    return told == (entry.type, entry.cache_control, entry.metadata)


def _deleted(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the plan says of what is deleted."""
    extra, older, days = facts.get("extra", 0), facts.get("older", 0), facts.get("days", 0)
    if extra:
        names = ", ".join(facts["extra names"])
        yield f"{extra:,} {_are(extra)} deleted: {names}{' and more' if extra > NAMED else ''}. The list names all."
        kept = f"Deleted files are kept for {counted(days, 'day')} in the trash. What can't be kept stays."
        yield kept if days else "Deleted files are not kept. This can't be undone."
        yield "What is new or changes from now on stays. If restoring a file fails, nothing is deleted."
        yield from deletions.links_lost(facts)
    else:
        yield "Nothing is deleted: nothing there came after the snapshot."
    if older:
        stay = "stays" if older == 1 else "stay"
        yield f"{older:,} {_are(older)} not in the snapshot, though stored before it was whole, and {stay}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
