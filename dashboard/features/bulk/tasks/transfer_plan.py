"""Plan a move, copy or rename: every object with its destination and conflict. Changes nothing."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from dashboard.catalog import contents, items, limits
from dashboard.catalog.keys import folder_of, name_of, numbered
from dashboard.catalog.lookup import Facts, alike, beginning, bucket_of, facts_of, is_empty, present, read_whole
from dashboard.catalog.walk import Entry, list_page
from dashboard.features.bulk.rules import Transfer
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import Conflict, NotFound
from dashboard.interfaces.names import key_problem
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.jobs.batch import Batch, Item, Stop
from dashboard.journal.models import QUESTION
from dashboard.links import holders
from dashboard.snapshots import trash
from dashboard.tokens.workspace import Workspace

# No bucket has this name. A service that honours the destination refuses it, so nothing is written.
PROBE = "pilothouse-asks-where-this-goes"
IGNORES_DESTINATION = (
    "Nothing was moved, copied or deleted: this version of the storage service can't copy to another bucket. "
    "Download the objects and upload them there instead."
)
TRIES = 50
ITSELF = "Same object"
SAME = "Identical object exists"
OTHER = "Another object exists"


@dataclass(frozen=True, slots=True)
class Destination:
    """Objects going to one folder, by destination key. `there`: existing objects, `taken`: unavailable names."""

    folder: str
    entries: dict[str, Entry]
    there: dict[str, Entry] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)


def plan(workspace: Workspace, batch: Batch) -> None:
    """Plan the selected objects: S13 of source and destination."""
    wanted = Transfer.from_parameters(batch.parameters)
    there = workspace.storage(wanted.space)
    if "free" not in batch.facts:
        batch.facts["free"] = _is_free(there, wanted)
        batch.facts["held"] = _held(there, wanted)
    # Another bucket, for its limits.
    target = bucket_of(there, wanted.bucket) if wanted.is_across else None
    unfit = partial(_unfit, target)
    for block in contents.read(workspace, batch, wanted.selection):
        find_conflicts = partial(_find_conflicts, there, wanted, free=batch.facts["free"])
        looked = batch.map(find_conflicts, _by_folder(wanted, block.entries))
        planned = [item for going in looked for item in _items(wanted, going, unfit)]
        batch.add(planned)
        batch.facts["days"] = trash.days_of(wanted.space, wanted.bucket)
        batch.facts["limits"] = limits.in_words(target) if target else ""
        batch.facts["refused"] = batch.facts.get("refused", 0) + sum("problem" in item.parameters for item in planned)
        going = [entry for one in looked for entry in one.entries.values()]
        contents.tally(batch.facts, going)
        batch.facts["still"] = batch.facts.get("still", 0) + len(block.entries) - len(going)
        if block.cursor is None and wanted.is_across and going:
            _probe_other_buckets(workspace, wanted, min(going, key=lambda entry: entry.size or 0).key)
        batch.advance(block.cursor, seen=len(block.entries))


def _held(storage: StorageInterface, wanted: Transfer) -> str:
    """Describe what names the moving folders. Raises `Stop` if it can't follow."""
    move = wanted.folder_move
    if problem := holders.problem_of(move, partial(is_empty, storage, wanted.bucket)):
        raise Stop(f"Nothing was moved. {problem}")
    return holders.named(move.space, move.bucket, list(move.folders))


def _unfit(target: Bucket | None, entry: Entry) -> str:
    """Explain why the bucket would refuse the object as an upload. The service doesn't check moves and copies."""
    if target is None or entry.is_marker:
        return ""
    return limits.problem(target, size=entry.size or 0, content_type=entry.mimetype or "of no type")


def _is_free(storage: StorageInterface, wanted: Transfer) -> bool:
    """Whether the destination folder is empty, so that nothing can conflict."""
    if not wanted.to.endswith("/"):
        return False
    page = list_page(storage, wanted.bucket, wanted.to)
    return not page.entries and not page.folders


def _by_folder(wanted: Transfer, entries: Iterable[Entry]) -> Iterator[Destination]:
    by_folder: dict[str, dict[str, Entry]] = defaultdict(dict)
    for entry in entries:
        to = wanted.arrival(entry.key)
        if wanted.is_across or wanted.verb == "copy" or to != entry.key:
            by_folder[folder_of(to)][to] = entry
    return (Destination(folder, found) for folder, found in by_folder.items())


def _find_conflicts(storage: StorageInterface, wanted: Transfer, going: Destination, *, free: bool) -> Destination:
    """Find existing objects, and free names beside those in conflict (S13). Runs in a thread."""
    if free or not going.entries:
        return going
    there = present(storage, wanted.bucket, going.folder, going.entries)
    if there and not wanted.is_across and _differs_by_case(wanted):
        there = {key: entry for key, entry in there.items() if facts_of(storage, wanted.bucket, key) is not None}
    clashing = [to for to in there if not going.entries[to].is_marker]
    if not clashing:
        return Destination(going.folder, going.entries, there)
    if len(clashing) > 1:
        taken = {entry.key for entry in read_whole(storage, wanted.bucket, going.folder).entries}
    else:
        stem = name_of(numbered(clashing[0], 1)[0]).rpartition("(")[0]
        taken = beginning(storage, wanted.bucket, going.folder, stem)
    return Destination(going.folder, going.entries, there, taken | set(there) | set(going.entries))


def _differs_by_case(wanted: Transfer) -> bool:
    """Whether the folders differ only in case: S13 ignores case, so it can list keys that don't exist."""
    return wanted.to != wanted.base and wanted.to.casefold() == wanted.base.casefold()


def _items(wanted: Transfer, going: Destination, unfit: Callable[[Entry], str]) -> Iterator[Item]:
    for to, entry in going.entries.items():
        parameters: dict[str, object] = {"to": to, "etag": entry.etag}
        if refused := key_problem(to) or unfit(entry):
            yield items.item(entry, {**parameters, "problem": refused}, conflict=refused)
        elif (there := going.there.get(to)) is None:
            yield items.item(entry, parameters)
        elif entry.is_marker:
            yield items.item(entry, {**parameters, "there": True})
        else:
            beside = next((name for name in numbered(to, TRIES) if name not in going.taken and not key_problem(name)), "")
            going.taken.add(beside)
            yield items.item(entry, {**parameters, "beside": beside}, conflict=_conflict(wanted, entry, there))


def _conflict(wanted: Transfer, entry: Entry, there: Entry) -> str:
    if not wanted.is_across and there.key == entry.key:
        return ITSELF
    return SAME if alike(Facts(entry.size, entry.etag), Facts(there.size, there.etag)) else OTHER


def _probe_other_buckets(workspace: Workspace, wanted: Transfer, key: str) -> None:
    """Check that the service honours a destination bucket: S12 into one that doesn't exist.

    An older service copies within the source: the copy is deleted, and `Stop` raised. Other refusals are raised unchanged.
    """
    storage, target = workspace.storage(wanted.space), f"{QUESTION}does {wanted.source} reach other buckets?"
    with workspace.record("S12", target=target, place=wanted.space, before={"from": key}) as change:
        try:
            storage.objects.copy(wanted.source, key, PROBE, destination_bucket=PROBE)
        except NotFound:
            change.after = {"answer": "yes: there is no such bucket"}
            if facts_of(storage, wanted.source, key) is None:
                raise
            return
        except Conflict:
            # An earlier probe was interrupted before it deleted its copy.
            change.after = {"answer": "no"}
        else:
            change.after = {"answer": "no: it was stored in the first bucket"}
    with workspace.record("S8", target=f"object {wanted.source}/{PROBE}", place=wanted.space):
        storage.objects.delete_many(wanted.source, [PROBE])
    raise Stop(IGNORES_DESTINATION)
