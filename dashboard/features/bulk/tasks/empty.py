"""Empty a bucket and delete it (S6).

With a trash, the objects that were counted are items, kept and then deleted by S8; what came later stays. Without one, S3 empties
it, or S8 if that is refused; the service may take an hour after accepting.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic

from dashboard.catalog import contents, items, writes
from dashboard.catalog.items import WAITING_SECONDS, Effects
from dashboard.catalog.keys import printable
from dashboard.catalog.lookup import UNSEEN, Unseen, read_whole, sees
from dashboard.catalog.receipts import everything_in, touched
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import list_page
from dashboard.interfaces import errors
from dashboard.interfaces.errors import Effect
from dashboard.interfaces.operations import WRITES
from dashboard.jobs import settlement
from dashboard.jobs.batch import Batch, Item, ItemOutcome, Pause
from dashboard.jobs.models import ItemState, JobItem
from dashboard.jobs.plans import UNKEPT
from dashboard.jobs.settlement import Rule, Wanted
from dashboard.jobs.unsettled import Unsettled
from dashboard.links import follow, holders, ledger
from dashboard.snapshots import deletions, trash
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace

ACCEPTED, EMPTY, DELETED = (
    "Ask the service to empty the bucket",
    "Verify that the bucket is empty",
    "Delete the bucket",
)
# S3 errors that mean: delete in batches instead.
REFUSED = (errors.NotAllowed, errors.Rejected, errors.Conflict, errors.NotFound)
SECONDS = 3.0
BATCH = 1000
# Allows for about an hour, with pauses that grow up to one minute.
MOST_LOOKS = 90
SHOWN = 5
STAYS = "What is new, has changed or could not be kept stays."
# The parameter of items that are steps. The others are objects.
STEP = "step"


def plan_emptying(workspace: Workspace, batch: Batch) -> None:
    """Count the bucket's contents (S13)."""
    _plan(workspace, batch, (EMPTY,))


def plan_removal(workspace: Workspace, batch: Batch) -> None:
    _plan(workspace, batch, (EMPTY, DELETED))


def advance(workspace: Workspace, batch: Batch) -> None:
    """Continue emptying for a few seconds."""
    if objects := _objects(batch):
        space, bucket = batch.parameters["space"], batch.parameters["bucket"]
        Effects(batch, partial(deletions.record, space, bucket))
        deletions.delete_items(workspace, batch, space, bucket, objects, keeps=True)
    else:
        _take_steps(workspace, batch)
    for row in batch.open_items():
        batch.requeue(row)


def _take_steps(workspace: Workspace, batch: Batch) -> None:
    for row in sorted(batch.items, key=lambda row: row.number):
        earlier = batch.job.items.filter(number__lt=row.number, state__in=("failed", "unknown"))
        if (earlier.filter(parameters__has_key=STEP) if _keeps(batch) else earlier).exists():
            batch.failed(row, "Not started: an earlier step failed.")
        elif row.target == ACCEPTED:
            _accept(workspace, batch, row)
        elif row.target == EMPTY:
            if not _verify(workspace, batch, row):
                break
        else:
            _delete(workspace, batch, row)
        batch.save()


def settle(workspace: Workspace, batch: Batch) -> None:
    """Settle items in flight: S13 of the root, or S4 for the bucket itself. Unsent items continue where they were."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if objects := _objects(batch):
        Effects(batch, partial(deletions.record, space, bucket))
        deletions.settle_items(workspace, batch, space, bucket, objects)
    storage = workspace.storage(space)
    for row in batch.open_items():
        if row.check_until is None:
            batch.record(row, ItemOutcome(ItemState.WAITING, untried=True))
        elif row.target == DELETED:
            try:
                storage.buckets.get(bucket)
            except errors.NotFound:
                _not_found(workspace, batch, row)
            else:
                batch.requeue(row)
        elif list_page(storage, bucket, "").names:
            batch.requeue(row)
        elif row.target == EMPTY:
            _emptied(workspace, batch, row)
        elif sees_all(workspace, space):
            batch.done(row, "Verified: the bucket is empty.")
        else:
            batch.requeue(row)


def _plan(workspace: Workspace, batch: Batch, targets: Iterable[str]) -> None:
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    # S13 lists a missing or hidden bucket as empty, so ask S4 first.
    workspace.storage(space).buckets.get(bucket)
    batch.facts["days"] = trash.days_of(space, bucket) if batch.parameters.get("policy") != UNKEPT else 0
    for block in contents.read(workspace, batch, _everything(batch), pending=True):
        contents.tally(batch.facts, block.entries)
        if _keeps(batch):
            batch.add(items.item(entry) for entry in block.entries)
        if block.cursor is None:
            batch.add(Item(target, {STEP: True}) for target in (targets if _keeps(batch) else (ACCEPTED, *targets)))
            dying = follow.dying_ids(space, bucket, folders=[""])
            held = holders.named(space, bucket, [""], links=False)
            batch.facts |= {"links": len(dying), "link names": ledger.named(workspace.person, dying), "held": held}
        batch.advance(block.cursor, seen=len(block.entries))


def _everything(batch: Batch) -> Selection:
    return Selection(batch.parameters["space"], batch.parameters["bucket"], folders=("",))


def _keeps(batch: Batch) -> bool:
    return bool(batch.facts.get("days"))


def _objects(batch: Batch) -> list[JobItem]:
    """Return the items that are objects to keep and delete; none where S3 empties the bucket."""
    return [row for row in batch.items if STEP not in row.parameters] if _keeps(batch) else []


def _accept(workspace: Workspace, batch: Batch, row: JobItem) -> None:
    """Ask the service to empty the bucket (S3)."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    before, touches = {"objects": batch.facts.get("objects", 0)}, [f"bucket {bucket}", everything_in(bucket)]
    request = settlement.settle(
        workspace, "S3", target=f"bucket {bucket}", place=space, before=before, wanted={"bucket": bucket}, touches=touches
    )
    message = "Verified: the bucket is empty."
    try:
        with (
            _pausing(batch, row),
            request as change,
            batch.sending([row], entry=change.entry, may_run_for=WRITES["S3"].settlement.may_run_for),
        ):
            message = f"“{workspace.storage(space).buckets.empty(bucket)}”"
    except REFUSED as refusal:
        # Raises an error if the bucket itself is missing or hidden.
        workspace.storage(space).buckets.get(bucket)
        batch.facts["in batches"] = True
        message = refusal.text or str(refusal)
        batch.skipped(row, f"Refused (“{message}”), so objects are deleted in batches.")
    else:
        batch.done(row, message)
    batch.advance(None)


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> list[str] | Unseen:
    """Return the names of some objects that are left (S13 of the root)."""
    names = list_page(workspace.storage(space), wanted["bucket"], "").names
    return names if names or sees(workspace, space, wanted["bucket"], "") else UNSEEN


def is_empty(names: list[str] | Unseen, _wanted: Wanted) -> bool | None:
    """Whether the bucket is empty; None if the token may not see its objects."""
    return None if names == UNSEEN else not names


def _verify(workspace: Workspace, batch: Batch, row: JobItem) -> bool:
    """Check repeatedly whether the bucket is empty (S13 of the root); if S3 was refused, delete with S8. False: not empty yet."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    storage = workspace.storage(space)
    if batch.facts.get("in batches") and _sweep(workspace, batch, row):
        return False
    page = list_page(storage, bucket, "")
    if not page.names:
        _emptied(workspace, batch, row)
        return True
    looks = int(batch.facts.get("looks", 0)) + 1
    left = _left(page.names)
    if _keeps(batch):
        batch.failed(row, f"Not empty: {left} {STAYS}")
        return True
    if looks > MOST_LOOKS or batch.facts.get("stuck"):
        batch.failed(row, f"Not empty: {left}")
        return True
    batch.facts["looks"] = looks
    batch.advance(None)
    raise Pause(min(2.0 * 1.3**looks, 60.0), f"Waiting for the service to empty the bucket. Still there: {left}")


def _emptied(workspace: Workspace, batch: Batch, row: JobItem) -> None:
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    if not sees_all(workspace, space):
        batch.done(row, "Your token sees no objects any more.")
        return
    batch.done(row, "The bucket is empty.")
    writes.emptied(space, bucket)
    follow.emptied(space, bucket)


def _sweep(workspace: Workspace, batch: Batch, row: JobItem) -> bool:
    """Delete everything listed (S8), for a few seconds. Return False if nothing is left that can be deleted."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    storage = workspace.storage(space)
    until = monotonic() + SECONDS
    waiting = [""]
    while waiting and not batch.stopping:
        whole = read_whole(storage, bucket, waiting.pop())
        waiting += whole.folders
        keys = [entry.key for entry in whole.entries]
        for at in range(0, len(keys), BATCH):
            some = keys[at : at + BATCH]
            deleted = _delete_some(workspace, batch, row, some)
            batch.facts["stuck"] = deleted == 0
            batch.advance(None)
            if deleted == 0:
                return False
        if monotonic() > until:
            return True
    return bool(waiting)


def _delete_some(workspace: Workspace, batch: Batch, row: JobItem, keys: list[str]) -> int:
    """Delete these keys (S8). Return how many were deleted."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    request = settlement.settle(
        workspace,
        "S8",
        target=f"{len(keys)} objects in {bucket}",
        place=space,
        before={"keys": keys},
        wanted={"bucket": bucket, "keys": keys},
        touches=[touched(bucket, key) for key in keys],
    )
    deleted: list[str] = []
    with _pausing(batch, row), request as change, batch.sending([row]):
        deleted = [entry.name for entry in workspace.storage(space).objects.delete_many(bucket, keys)]
        change.after = {"deleted": len(deleted)}
    if change.found is not None:
        # Without an answer, reading back found those that are left, so the others are deleted.
        deleted = [key for key in keys if key not in change.found]
    if not sees_all(workspace, space):
        # Objects that the token doesn't see may be left, so don't record the bucket as emptied.
        writes.removed(space, bucket, deleted)
        follow.lost(space, bucket, deleted)
    return len(deleted)


@contextmanager
def _pausing(batch: Batch, row: JobItem) -> Iterator[None]:
    """Pause the job if an earlier request must be settled first, or the service refused this one."""
    try:
        yield
    except Unsettled as waiting:
        batch.requeue(row)
        raise Pause(WAITING_SECONDS, str(waiting)) from waiting
    except errors.InterfaceError as failure:
        if failure.effect is Effect.REFUSED and failure.is_over:
            raise Pause(WAITING_SECONDS, str(failure)) from failure
        raise


def _delete(workspace: Workspace, batch: Batch, row: JobItem) -> None:
    """Delete the bucket (S6) if S13 lists nothing."""
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    storage = workspace.storage(space)
    try:
        if left := list_page(storage, bucket, "").names:
            batch.failed(row, f"Not deleted, because it is not empty: {_left(left)}")
            return
        storage.buckets.get(bucket)
        record = workspace.record("S6", target=f"bucket {bucket}", place=space)
        with record as change, batch.sending([row], entry=change.entry):
            storage.buckets.delete(bucket)
    except errors.NotFound:
        _not_found(workspace, batch, row)
    except errors.Conflict as refusal:
        batch.failed(row, f"Not deleted: “{refusal.text or refusal}”")
    else:
        _gone(batch, row)


def _not_found(workspace: Workspace, batch: Batch, row: JobItem) -> None:
    """Record the bucket as deleted if the token can see other buckets (S2) or sees everything; otherwise that is unknown."""
    space = batch.parameters["space"]
    if sees_all(workspace, space) or workspace.storage(space).buckets.all():
        _gone(batch, row)
    else:
        batch.failed(row, "Your token doesn't see the bucket, so whether it is deleted is unknown.")


def _gone(batch: Batch, row: JobItem) -> None:
    space, bucket = batch.parameters["space"], batch.parameters["bucket"]
    batch.done(row, "Deleted.")
    writes.forgotten(space, bucket)
    follow.emptied(space, bucket)


def _left(names: list[str]) -> str:
    shown = ", ".join(f"“{printable(name) or '(no name)'}”" for name in names[:SHOWN])
    return f"{shown} and more." if len(names) > SHOWN else f"{shown}."


RULES = (Rule("S3", read_back, is_empty),)
