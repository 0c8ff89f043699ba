"""The encryption root key of one project: what may be known of it, handing it out, and replacing it. M20 and M21."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import cast

from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone

from dashboard.features.encryption.keys import LENGTH, Replacement, fingerprint, short
from dashboard.interfaces.errors import Broken, InterfaceError, Unexpected, UnknownOutcome
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recording import Change, digest
from dashboard.tokens.workspace import Workspace

TARGET = "root key"
SAVED_WITHIN = timedelta(hours=1)
CHANGED = (
    "The root key is another one than when this page was made. Somebody replaced it meanwhile. Nothing was sent: start again."
)


class Handed(StrEnum):
    """How the key left: shown on the page, copied without being shown, saved as a file."""

    SHOWN = "shown"
    COPIED = "copied"
    SAVED = "saved as a file"


class Found(StrEnum):
    """What reading back found after a replacement was sent."""

    NEW = "new"
    OLD = "old"
    OTHER = "other"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Known:
    """What a page may know of the key. `digest` is what tells two keys apart, `usual` whether it has today's form."""

    fingerprint: str
    digest: str
    usual: bool


@dataclass(frozen=True, slots=True)
class Handout:
    """The key itself, for one answer."""

    fingerprint: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Result:
    """One replacement as the journal has it, and which key the service has now."""

    entry: Entry
    found: Found
    old: str
    new: str
    now: str = ""
    failure: InterfaceError | None = None


def read_key(workspace: Workspace, ref: str) -> Known:
    """The fingerprint of the key (M20). For pool threads, too."""
    key = workspace.management.encryption.get(ref).root_key
    return Known(fingerprint=fingerprint(key), digest=digest(key), usual=len(key) == LENGTH)


def hand_out(workspace: Workspace, ref: str, how: Handed) -> Handout:
    """The key itself (M20), with an entry in the journal that says how it left."""
    with workspace.record("M20", target=TARGET, place=ref) as change:
        key = workspace.management.encryption.get(ref).root_key
        change.after = {"root_key": digest(key), "handed_out": how.value}
    return Handout(fingerprint=fingerprint(key), key=key)


def was_saved(workspace: Workspace, ref: str, wanted: str) -> bool:
    """Whether this person had the key with that digest in hand within the last hour."""
    return Entry.objects.filter(
        person=workspace.person,
        operation="M20",
        place=ref,
        outcome=Outcome.DONE,
        started_at__gte=timezone.now() - SAVED_WITHIN,
        after__root_key=wanted,
    ).exists()


def require_unchanged(workspace: Workspace, ref: str, replaces: str) -> None:
    """Raises `ValidationError` when the present key (M20) is not the one that is to be replaced."""
    if read_key(workspace, ref).digest != replaces:
        raise ValidationError(CHANGED)


def replace_key(workspace: Workspace, ref: str, replacement: Replacement) -> int:
    """Send the new key once (M21), read back (M20), and return the id of the journal's row, which has what came of it.

    Refusals of the service, and that it can't be reached, go up: then nothing was replaced. Every other end is settled by
    reading back.
    """
    with workspace.record("M21", target=TARGET, place=ref, before={"root_key": replacement.replaces}) as change:
        sent = digest(replacement.key)
        change.after = {"sent": sent}
        try:
            workspace.management.encryption.update(ref, root_key=replacement.key)
        except (UnknownOutcome, Broken, Unexpected) as error:
            change.status, change.message = error.status, error.text or ""
            _settle(workspace, ref, change, sent=sent, answered=False)
        else:
            _settle(workspace, ref, change, sent=sent, answered=True)
    return change.entry


def find_replacement(workspace: Workspace, ref: str, entry_id: int) -> Entry:
    """The journal's row of a replacement that this person sent; 404 for anything else."""
    entry = Entry.objects.filter(pk=entry_id, person=workspace.person, operation="M21", place=ref).first()
    if entry is None:
        raise Http404("This is no replacement of yours.")
    return entry


def read_back(workspace: Workspace, ref: str) -> Known | InterfaceError:
    """The present key (M20), or why it could not be read. For pool threads, too."""
    try:
        return read_key(workspace, ref)
    except InterfaceError as failure:
        return failure


def result_of(entry: Entry, read: Known | InterfaceError) -> Result:
    """What came of a replacement, by the key that the service has now."""
    old, new = _member(entry.before, "root_key"), _member(entry.after, "sent")
    if isinstance(read, InterfaceError):
        return Result(entry=entry, found=Found.UNREAD, old=short(old), new=short(new), failure=read)
    return Result(
        entry=entry, found=_compared(read.digest, old=old, new=new), old=short(old), new=short(new), now=read.fingerprint
    )


def _settle(workspace: Workspace, ref: str, change: Change, *, sent: str, answered: bool) -> None:
    """Write down what reading back found. Without an answer only reading back can say whether it was done."""
    try:
        now = read_key(workspace, ref).digest
    except InterfaceError:
        change.outcome = Outcome.UNKNOWN
        reached = "Accepted by the service, but" if answered else "No answer came, and"
        change.message = change.message or f"{reached} it could not be read back."
        return
    found = _compared(now, old=_member(change.before, "root_key"), new=sent)
    change.after = {"sent": sent, "read_back": now}
    change.outcome = {Found.NEW: Outcome.DONE, Found.OLD: Outcome.FAILED}.get(found, Outcome.UNKNOWN)
    if found != Found.NEW and answered:
        change.message = "Accepted by the service, but another key was read back."


def _compared(now: str, *, old: str, new: str) -> Found:
    return {new: Found.NEW, old: Found.OLD}.get(now, Found.OTHER)


def _member(value: object, name: str) -> str:
    return str(cast("dict[str, object]", value).get(name, "")) if isinstance(value, dict) else ""
