"""Delete selected objects (S8), verified at the end."""

from functools import partial

from django.urls import reverse

from dashboard.catalog import contents, items
from dashboard.catalog.items import Effects
from dashboard.catalog.selection import Selection
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import Job
from dashboard.jobs.plans import UNKEPT
from dashboard.links import holders
from dashboard.snapshots import deletions, trash
from dashboard.tokens.grants import named
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

VERIFIED_AT_ONCE = 2000


def plan(workspace: Workspace, batch: Batch) -> None:
    """Add every selected object as an item (S13)."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    batch.facts["days"] = trash.days_of(selection.space, selection.bucket)
    for block in contents.read(workspace, batch, selection, pending=True):
        for group in block.groups:
            batch.add(items.item(entry) for entry in group.entries)
            contents.tally(batch.facts, group.entries)
        if selection.filter:
            deletions.count_links(workspace, batch, selection, [entry.key for entry in block.entries])
        elif block.cursor is None:
            deletions.count_links(workspace, batch, selection, selection.keys)
            batch.facts["held"] = holders.named(selection.space, selection.bucket, selection.folders, links=False)
        batch.advance(block.cursor, seen=len(block.entries))


def delete(workspace: Workspace, batch: Batch) -> None:
    """Delete at most 1,000 keys (S8), fewer if the service refuses that many. They are kept first, if the plan says so."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    keeps = bool(batch.facts.get("days")) and batch.parameters.get("policy") != UNKEPT
    Effects(batch, partial(deletions.record, selection.space, selection.bucket))
    deletions.delete_items(workspace, batch, selection.space, selection.bucket, batch.items, keeps=keeps)


def settle(workspace: Workspace, batch: Batch) -> None:
    """Settle items in flight: missing objects were deleted (S13 and S19)."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    Effects(batch, partial(deletions.record, selection.space, selection.bucket))
    deletions.settle_items(workspace, batch, selection.space, selection.bucket, batch.items)


def verify(workspace: Workspace, batch: Batch) -> None:
    """Verify that deleted objects are missing: S13 for their folders, S19 for keys still listed."""
    selection = Selection.from_parameters(batch.parameters["selection"])
    after = int(batch.cursor.get("after", 0))
    rows = batch.done_after(after, VERIFIED_AT_ONCE)
    batch.correct(deletions.still_there(workspace, batch, selection.space, selection.bucket, rows))
    more = len(rows) == VERIFIED_AT_ONCE
    if not more:
        deletions.end_links(workspace, selection.space, selection.bucket)
    batch.advance({"after": rows[-1].number} if more else None, seen=len(rows))


def undo(job: Job) -> tuple[str, str] | None:
    """Return what leads back, if something was kept and the grant that the job used, if any, allows it."""
    kept, place = job.facts.get("kept", ""), job.parameters.get("selection", job.parameters)
    granted = named(job.owner, job.grants).get((Kind.STORAGE, place["space"])) if kept else None
    if not kept or (granted and not granted.scope.allows("read", "upload")):
        return None
    return "Undo", reverse("snapshots:undo", args=[place["space"], place["bucket"], kept])


def trash_of(job: Job) -> tuple[str, str] | None:
    """Return the way to the trash: of a deleted bucket, or of that in which objects were replaced."""
    place = job.parameters.get("selection", job.parameters)
    here = [place["space"], job.parameters.get("to_bucket", place["bucket"])]
    return ("Open trash", reverse("snapshots:trash", args=here)) if undo(job) else None
