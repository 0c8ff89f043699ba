"""Plan a restoration: which objects of a snapshot are written, replaced or left, and which can't be. Changes nothing."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any

from dashboard.catalog import items, limits, uploads, walk
from dashboard.catalog.keys import folder_of
from dashboard.catalog.lookup import present
from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.selection import Selection
from dashboard.interfaces.errors import NotAllowed, NotFound
from dashboard.interfaces.names import upload_problem
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.jobs.batch import Batch, Item, Stop
from dashboard.jobs.models import Job
from dashboard.jobs.plans import REPLACE, SKIP, Plan, Policy
from dashboard.snapshots.capture import in_store, store
from dashboard.snapshots.manifest import AFTER_SLASH, Entry, Head, Manifest, head_path, read_head
from dashboard.snapshots.store import Missing
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.text import bytes_text, counted

STEP_SECONDS = 3.0
COMPARED_AT_ONCE = 5000
OTHER = "Another object exists"
GONE = "The snapshot was deleted."
NEW_VALUES = "The service sets owner and time of creation anew."
POLICIES = (
    Policy(SKIP, "Leave them", "Keep the objects that are there now."),
    Policy(REPLACE, "Replace them", "Overwrite them with those of the snapshot. This can't be undone."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """What is restored of a snapshot, and where to. `token`: the fingerprint of the one that reads the snapshot."""

    selection: Selection
    snapshot: str
    token: str
    to_space: str
    to_bucket: str

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
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Restoration":
        return cls(
            selection=Selection.from_parameters(parameters["selection"]),
            snapshot=parameters["snapshot"],
            token=parameters["token"],
            to_space=parameters["to_space"],
            to_bucket=parameters["to_bucket"],
        )


def head_of(wanted: Restoration) -> Head:
    """Return the snapshot. Raises `Stop` once it was deleted, and `StoreError`."""
    try:
        return read_head(store(), wanted.path)
    except Missing:
        raise Stop(GONE) from None


def plan(workspace: Workspace, batch: Batch) -> None:
    """Compare the selected objects with those that are there (S13) and with what the bucket refuses (S4), for a few seconds."""
    with in_store(workspace, batch):
        wanted, until = Restoration.from_parameters(batch.parameters), monotonic() + STEP_SECONDS
        target = _target(workspace, wanted)
        storage = workspace.storage(wanted.to_space)
        manifest = Manifest(store(), head_of(wanted).lists)

        def look(of: tuple[str, list[Entry]]) -> dict[str, walk.Entry]:
            folder, entries = of
            return present(storage, wanted.to_bucket, folder, [entry.key for entry in entries])

        batch.facts["limits"] = limits.in_words(target) if target else ""
        while True:
            entries = list(islice(_selected(manifest, wanted.selection, batch.cursor.get("after", "")), COMPARED_AT_ONCE))
            by_folder: dict[str, list[Entry]] = defaultdict(list)
            for entry in entries:
                by_folder[folder_of(entry.key)].append(entry)
            found = batch.map(look, by_folder.items())
            there = {key: entry for folder in found for key, entry in folder.items()}
            batch.add(_items(batch, entries, there, target))
            liveness.note()
            is_last = len(entries) < COMPARED_AT_ONCE
            batch.advance(None if is_last else {"after": entries[-1].key}, seen=len(entries))
            if is_last or monotonic() > until or batch.stopping:
                return


def describe(job: Job) -> Plan:
    """Say what the plan would write, replace and leave."""
    wanted, facts = Restoration.from_parameters(job.parameters), job.facts
    refused, same = facts.get("refused", 0), facts.get("same", 0)
    replaced = job.conflicts - refused
    written = (job.total or 0) - job.conflicts
    lines = [
        f"{written:,} {_are(written)} written." if written else "",
        f"{replaced:,} {_are(replaced)} there with other contents." if replaced else "",
        f"{same:,} {_are(same)} the same there, and left." if same else "",
        f"{refused:,} can't be restored; see the list. {facts.get('limits', '')}".strip() if refused else "",
        "Type, Cache-Control and metadata are those of the snapshot.",
        NEW_VALUES,
    ]
    amount = f"{counted(written + replaced, 'object')}, {bytes_text(facts.get('bytes', 0))}"
    return Plan(
        f"Restore {wanted.what} to {wanted.to_bucket}: {amount}.",
        details=tuple(filter(None, lines)),
        policies=POLICIES if replaced else (),
        policy=SKIP,
        conflicts=job.conflicts,
        button="Restore them",
    )


def _target(workspace: Workspace, wanted: Restoration) -> Bucket | None:
    """Return the bucket to write to, for its limits (S4). None if the token may not see it."""
    try:
        return workspace.storage(wanted.to_space).buckets.get(wanted.to_bucket)
    except NotFound:
        raise Stop(f"There is no bucket {wanted.to_bucket}, or your token doesn't see it.") from None
    except NotAllowed:
        return None


def _selected(manifest: Manifest, selection: Selection, after: str) -> Iterator[Entry]:
    """Yield the selected entries behind a key, in order of keys."""
    if selection.filter == EVERYTHING:
        yield from manifest.between(f"{after}\0" if after else "", "")
        return
    ranges = [(key, f"{key}\0") for key in selection.keys]
    ranges += [(folder, f"{folder[:-1]}{AFTER_SLASH}") for folder in selection.folders]
    for first, end in sorted(ranges):
        if not after or after < end:
            yield from manifest.between(max(first, f"{after}\0") if after else first, end)


def _items(batch: Batch, entries: Sequence[Entry], there: Mapping[str, walk.Entry], target: Bucket | None) -> Iterator[Item]:
    """Yield what has to be restored, and what can't be, with the reason. Counts in the facts."""
    facts = batch.facts
    for entry in entries:
        now = there.get(entry.key)
        row = walk.Entry(entry.key, size=entry.size)
        if problem := _problem(entry, target):
            facts["refused"] = facts.get("refused", 0) + 1
            yield items.item(row, {"problem": problem}, conflict=problem)
        elif now and _is_same(entry, now):
            facts["same"] = facts.get("same", 0) + 1
        else:
            facts["bytes"] = facts.get("bytes", 0) + (entry.size or 0)
            known = {"etag": entry.etag, "type": entry.type} | ({"there": now.etag} if now else {})
            yield items.item(row, known, conflict=OTHER if now else "")


def _problem(entry: Entry, target: Bucket | None) -> str:
    if entry.left_out:
        return f"It was left out of the snapshot. {entry.left_out}"
    size, kind = entry.size or 0, entry.type or uploads.UNKNOWN_TYPE
    return upload_problem(entry.key, size) or (limits.problem(target, size=size, content_type=kind) if target else "")


def _is_same(entry: Entry, now: walk.Entry) -> bool:
    """Whether the object is there as it was: its bytes, and its type if it was written again."""
    is_known = bool(entry.etag) and (now.etag, now.size) == (entry.etag, entry.size)
    return is_known and (now.updated_at == entry.updated or now.mimetype == entry.type)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
