"""Accept received files into their folder, or reject them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.catalog import leases, writes
from dashboard.catalog.keys import folder_of, numbered
from dashboard.catalog.lookup import facts_of, sees
from dashboard.catalog.receipts import taken, touched
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.services.reservations import free, settle
from dashboard.interfaces.errors import Conflict, InterfaceError, NotFound, TokenRefused
from dashboard.jobs import settlement
from dashboard.jobs.settlement import Rule, Wanted
from dashboard.jobs.unsettled import Unsettled
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace

State = ReceivedFile.State
# After this time, the rest is left for another request.
PATIENCE_SECONDS = 10.0
ALTERNATIVES = 20


@dataclass(slots=True)
class Tally:
    """Count of the outcomes for a selection, and reasons by name. `renamed`: old and new names."""

    done: int = 0
    unknown: int = 0
    missing: int = 0
    left: int = 0
    renamed: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, InterfaceError]] = field(default_factory=list)
    busy: list[str] = field(default_factory=list)


def waiting(asked: FileRequest) -> QuerySet[ReceivedFile]:
    """Return a request's files to review, oldest first."""
    return ReceivedFile.objects.filter(request=asked, state=State.RECEIVED).order_by("pk")


def in_doubt(asked: FileRequest) -> QuerySet[ReceivedFile]:
    """Return the files whose acceptance or rejection has no known outcome yet."""
    return ReceivedFile.objects.filter(request=asked, state__in=(State.ACCEPTING, State.REJECTING))


def accept(workspace: Workspace, asked: FileRequest, files: Sequence[ReceivedFile]) -> Tally:
    """Move files into their folder, each to a free name: S15, then S11."""
    tally = Tally()
    for file in _in_time(files, tally):
        with _counted(workspace, file, tally):
            to = _free_key(workspace, asked, file.name)
            with leases.lease(workspace, asked.space, asked.bucket, to):
                _move(workspace, asked, file, to)
            if to != asked.folder + file.name:
                tally.renamed.append((file.name, to.removeprefix(asked.folder)))
    return tally


def reject(workspace: Workspace, asked: FileRequest, files: Sequence[ReceivedFile]) -> Tally:
    """Delete files: S7."""
    tally = Tally()
    for file in _in_time(files, tally):
        with _counted(workspace, file, tally):
            # `wanted` in the form that the rule of S7 expects.
            wanted = {"bucket": asked.bucket, "keys": [file.key]}
            title = f"{file.name} from {file.sender}, rejected from “{asked.title}”"
            with settlement.settle(
                workspace, "S7", target=title, place=asked.space, touches=[touched(asked.bucket, file.key)], wanted=wanted
            ) as change:
                _begin(workspace, file, change, State.REJECTING)
                workspace.storage(asked.space).objects.delete(asked.bucket, file.key)
            _finish(file, State.REJECTED)
    return tally


def read_back(workspace: Workspace, space: str, wanted: Wanted) -> tuple[bool, bool]:
    """Return whether the object is at its old key, and whether at its new key (S19)."""
    storage = workspace.storage(space)
    old, new = (facts_of(storage, wanted["bucket"], wanted[name]) for name in ("key", "to"))
    return old is not None, new is not None


def is_moved(state: tuple[bool, bool], _wanted: Wanted) -> bool | None:
    """Whether the object was moved; None if it is at neither key."""
    old, new = state
    return None if not old and not new else not old


def after_move(workspace: Workspace, space: str, wanted: Wanted, _state: object = None) -> None:
    """Update the index after a move, even one that was settled later."""
    sizes = {wanted["key"]: wanted["size"]}
    writes.transferred(workspace, space, wanted["bucket"], {wanted["key"]: wanted["to"]}, sizes=sizes)


def _move(workspace: Workspace, asked: FileRequest, file: ReceivedFile, to: str) -> None:
    wanted = {"bucket": asked.bucket, "key": file.key, "to": to, "size": file.size}
    title = f"{file.name} from {file.sender}, accepted from “{asked.title}” to {asked.bucket}/{to}"
    touches = [touched(asked.bucket, file.key), touched(asked.bucket, to)]
    with settlement.settle(workspace, "S11", target=title, place=asked.space, touches=touches, wanted=wanted) as change:
        _begin(workspace, file, change, State.ACCEPTING, to)
        workspace.storage(asked.space).objects.move(asked.bucket, file.key, to)
    after_move(workspace, asked.space, wanted)
    _finish(file, State.ACCEPTED)


def _free_key(workspace: Workspace, asked: FileRequest, name: str) -> str:
    """Return the file's own name as a key, or the first numbered one that no object has and nobody is writing to (S15)."""
    wanted = asked.folder + name
    names = [wanted, *numbered(wanted, ALTERNATIVES)]
    there = taken(workspace.storage(asked.space), asked.bucket, names)
    free_names = [one for one in names if one not in there and not leases.is_held(asked.space, asked.bucket, one)]
    if not free_names:
        raise Conflict(operation="S11", service="storage", text=f"{name} and {ALTERNATIVES} alternatives are taken.")
    return free_names[0]


def _begin(workspace: Workspace, file: ReceivedFile, change: Change, state: State, to: str = "") -> None:
    """Mark the file before anything is sent. Raises `Conflict` if somebody else has marked it."""
    mine = ReceivedFile.objects.filter(pk=file.pk, state=State.RECEIVED)
    decided = {"decided_by": workspace.person, "decided_at": timezone.now(), "accepted_key": to}
    if not mine.update(state=state, entry=change.entry, **decided):
        raise Conflict(operation="S11" if to else "S7", service="storage", text="Somebody else decided on this file.")


def _finish(file: ReceivedFile, state: State) -> None:
    ReceivedFile.objects.filter(pk=file.pk).update(state=state)


def _in_time(files: Sequence[ReceivedFile], tally: Tally) -> Iterator[ReceivedFile]:
    until = monotonic() + PATIENCE_SECONDS
    for number, file in enumerate(files):
        if number and monotonic() > until:
            tally.left = len(files) - number
            return
        yield file


@contextmanager
def _counted(workspace: Workspace, file: ReceivedFile, tally: Tally) -> Iterator[None]:
    """Count the outcome of one file. Only a failure that would affect every file ends the loop."""
    asked = file.request
    try:
        yield
    except (leases.KeyInUseError, Unsettled):
        tally.busy.append(file.name)
    except NotFound as error:
        if not sees(workspace, asked.space, asked.bucket, folder_of(file.key)):
            settle(ReceivedFile.objects.filter(pk=file.pk))
            tally.refused.append((file.name, error))
            return
        tally.missing += 1
        if ReceivedFile.objects.filter(pk=file.pk, state__in=(State.RECEIVED, State.ACCEPTING, State.REJECTING)).update(
            state=State.MISSING
        ):
            free(file)
    except TokenRefused:
        settle(ReceivedFile.objects.filter(pk=file.pk))
        raise
    except InterfaceError as error:
        settle(ReceivedFile.objects.filter(pk=file.pk))
        if ReceivedFile.objects.filter(pk=file.pk, state=State.RECEIVED).exists():
            tally.refused.append((file.name, error))
        else:
            tally.unknown += 1
    else:
        tally.done += 1


RULES = (Rule("S11", read_back, is_moved, then=after_move),)
