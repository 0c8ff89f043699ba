"""Delete snapshots, then the chunks that none of the others needs: one job, which holds the store. `erase` ends in the same way.

Only the manifests in the store say what is needed, never the database. If one can't be read, no chunk is removed. Before anything
is removed, the store gets a new generation: snapshots that are being taken begin anew, since their chunks are in no manifest yet.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from time import monotonic
from typing import Any

from dashboard.jobs.batch import Batch, Stop
from dashboard.jobs.models import ENDED, Job, State
from dashboard.jobs.transitions import start
from dashboard.journal.recorder import record
from dashboard.snapshots.capture import CALL_SECONDS, claim, hold, in_store, release, require_own, store
from dashboard.snapshots.manifest import Entry, Head, Manifest, ident_of, named, read_head, unpack
from dashboard.snapshots.store import FOLDERS, Damaged, Missing
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.text import counted, exact

DELETE, ERASE = "delete snapshots", "erase from snapshots"
# The kind of jobs that restore from a snapshot.
RESTORE = "restore objects"
STEP_SECONDS = 3.0


class Marks:
    """Names of chunks, by their first eight bytes: of two that begin alike, both are kept. Saved as chunks themselves."""

    def __init__(self, saved: Iterable[str]) -> None:
        self.saved = list(saved)
        self._parts = [array("Q", store().chunk(name)) for name in self.saved]
        self._new: set[int] = set()

    def __contains__(self, name: str) -> bool:
        number = int(name[:16], 16)
        return number in self._new or any(_holds(part, number) for part in self._parts)

    def add(self, names: Iterable[str]) -> None:
        self._new |= {int(name[:16], 16) for name in names}

    def save(self) -> list[str]:
        """Return the chunks that hold all marks."""
        if self._new:
            self.saved.append(store().add(array("Q", sorted(self._new)).tobytes())[0])
        return self.saved


def begin(workspace: Workspace, heads: Sequence[Head], *, back: str) -> Job:
    """Start deleting snapshots of one bucket, which the person sees."""
    space, bucket = heads[0].space, heads[0].bucket
    require_own(workspace, space)
    first, is_one = heads[0], len(heads) == 1
    what = described(first) if is_one else counted(len(heads), "snapshot")
    where = f"the trash of {bucket}" if first.is_trash else named(bucket, first.folder) if is_one else bucket
    token = workspace.fingerprint(Kind.STORAGE, space)
    return start(
        workspace,
        DELETE,
        title=f"Delete {what} from {where}",
        place=space,
        back=back,
        parameters={"space": space, "bucket": bucket, "token": token, "snapshots": [head.path for head in heads]},
        cursor={"phase": "delete"},
    )


def expire(workspace: Workspace, heads: Sequence[Head]) -> Job:
    """Start deleting what the trash of all buckets kept long enough. This reads only the store, so it needs no token."""
    parameters = {"snapshots": [head.path for head in heads]}
    return start(workspace, DELETE, title="Empty the trash", parameters=parameters, cursor={"phase": "delete"})


def described(head: Head) -> str:
    """Return what a person calls it: a snapshot, or what the trash keeps of one act."""
    return f"what was {head.verb} at {exact(head.begun)}" if head.is_trash else f"the snapshot of {exact(head.begun)}"


def in_use() -> set[str]:
    """Return the ids of the snapshots that jobs restore from, or would once their plans are applied."""
    return set(Job.objects.filter(kind=RESTORE).exclude(state__in=ENDED).values_list("parameters__snapshot", flat=True))


def being_restored() -> set[str]:
    """Return those of `in_use` without those of plans that wait for review: these end unapplied once the snapshot is gone."""
    jobs = Job.objects.filter(kind=RESTORE).exclude(state__in=(*ENDED, State.PLANNED))
    return set(jobs.values_list("parameters__snapshot", flat=True))


def is_removing() -> bool:
    """Whether a job removes chunks, or is about to: one that no snapshot needs yet may be gone in a moment."""
    return Job.objects.filter(kind__in=(DELETE, ERASE), state=State.RUNNING, cursor__phase="remove").exists()


def step(workspace: Workspace, batch: Batch) -> None:
    """Advance by cursor: delete heads, mark what the others need, remove the rest."""
    with in_store(workspace, batch):
        hold(workspace, batch, seconds=CALL_SECONDS)
        _STEPS[batch.cursor["phase"]](workspace, batch)


def _delete(workspace: Workspace, batch: Batch) -> None:
    """Delete the heads, each as an entry of the journal. Those that are gone were deleted by an earlier try."""
    claim()
    store().begin_generation()
    restored = being_restored()
    for path in batch.parameters["snapshots"]:
        try:
            head = read_head(store(), path)
        except Missing:
            continue
        if head.id in restored:
            raise Stop(f"A job restores from {described(head)}. Delete it once that has ended.")
        with record(
            person_id=workspace.person.pk,
            operation="snapshot deleted",
            target=f"{'trash' if head.is_trash else 'snapshot'} of {exact(head.begun)} of bucket {head.of}",
            place=head.space,
            before={"objects": head.objects, "bytes": head.bytes},
            token=batch.parameters.get("token", ""),
            action=workspace.action,
        ):
            store().remove(path)
    _begin_anew(batch)


def marking(state: str) -> dict[str, Any]:
    """Return the cursor that marks what is needed in a store of this state, and then removes the rest."""
    return {"phase": "mark", "state": state, "head": 0, "segment": 0, "needed": [], "read": []}


def _begin_anew(batch: Batch) -> None:
    """Mark anew. Erasing begins anew before that, as a new snapshot may hold the files."""
    is_erasing = batch.job.kind == ERASE
    batch.advance({"phase": "rewrite"} if is_erasing else marking(state_of(store().heads())))


def _mark(_workspace: Workspace, batch: Batch) -> None:
    """Read the manifests of all snapshots, for a few seconds."""
    cursor, until = batch.cursor, monotonic() + STEP_SECONDS
    heads = store().heads()
    if cursor.get("state") != state_of(heads):
        _begin_anew(batch)
        return
    needed, read = Marks(cursor["needed"]), Marks(cursor["read"])

    def keep(**position: Any) -> None:
        batch.advance({**cursor, "needed": needed.save(), "read": read.save(), **position})

    for number in range(cursor["head"], len(heads)):
        try:
            lists = read_head(store(), heads[number]).lists
            segments = Manifest(store(), lists).segments
            needed.add(lists)
            first = cursor["segment"] if number == cursor["head"] else 0
            for at, segment in enumerate(segments[first:], start=first):
                # A file in a bucket may have the same bytes as a segment, so a needed chunk isn't always one that was read.
                if segment.chunk not in read:
                    for entry in unpack(store().chunk(segment.chunk), Entry):
                        needed.add(entry.chunks)
                    needed.add([segment.chunk])
                    read.add([segment.chunk])
                liveness.note()
                if monotonic() > until or batch.stopping:
                    keep(head=number, segment=at + 1)
                    return
        except (Missing, Damaged) as error:
            if store().heads() != heads:
                # A deletion has replaced the snapshot of its earlier parts.
                _begin_anew(batch)
                return
            raise Stop(f"The snapshot {ident_of(heads[number])} can't be read, so no space was freed. {error}") from error
    keep(phase="remove", folder=0)


def _remove(_workspace: Workspace, batch: Batch) -> None:
    """Remove what isn't marked, folder by folder, for a few seconds. Mark anew if the store has changed since."""
    cursor, until = batch.cursor, monotonic() + STEP_SECONDS
    heads = store().heads()
    if cursor["state"] != state_of(heads):
        _begin_anew(batch)
        return
    needed = Marks(cursor["needed"])
    own = {*cursor["needed"], *cursor["read"]}
    store().begin_generation()
    if store().heads() != heads:
        # A deletion was kept without the lease. If its head is written later, it sees the new generation; others wait.
        _begin_anew(batch)
        return
    for number in range(cursor["folder"], len(FOLDERS)):
        spare = [name for name in store().chunks(FOLDERS[number]) if name not in needed and name not in own]
        store().remove_chunks(spare)
        liveness.note()
        if monotonic() > until or batch.stopping:
            batch.advance({**cursor, "state": state_of(heads), "folder": number + 1})
            return
    store().remove_chunks([name for name in own if name not in needed])
    release(batch)
    batch.advance(None)


# The phases after which the store holds what the manifests need, and nothing else.
SWEEP: dict[str, Callable[[Workspace, Batch], None]] = {"mark": _mark, "remove": _remove}
_STEPS = {"delete": _delete, **SWEEP}


def state_of(heads: Sequence[str]) -> str:
    """Return a text that changes when a snapshot is added or anything is removed."""
    return sha256("\n".join([store().generation(), *heads]).encode()).hexdigest()


def _holds(numbers: "array[int]", number: int) -> bool:
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
