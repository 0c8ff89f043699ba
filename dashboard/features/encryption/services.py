"""The encryption root key of one project: what may be known of it, handing it out, and replacing it. M20 and M21."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import cast

from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone

from dashboard.features.encryption.rules import LENGTH, Replacement, fingerprint, short
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.settlement import Wanted, observe, settle
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import Change, digest
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Unconfirmed

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
    """Send the new key once (M21) and return the id of the journal's entry, which has what came of it.

    Refusals of the service, and that it can't be reached, go up: then nothing was replaced.
    """
    sent = digest(replacement.key)
    before = {"root_key": replacement.replaces}
    try:
        with settle(workspace, "M21", target=TARGET, place=ref, before=before, wanted={"root_key": sent}) as change:
            change.after = {"sent": sent}
            workspace.management.encryption.update(ref, root_key=replacement.key)
            _verify(workspace, ref, change, sent)
    except Unconfirmed:
        # The page of the result says what is known so far.
        pass
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


def result_of(workspace: Workspace, entry: Entry, read: Known | InterfaceError) -> Result:
    """What came of a replacement, by the key that the service has now. An entry that is being checked may be settled by it."""
    old, new = _member(entry.before, "root_key"), _member(entry.after, "sent")
    if isinstance(read, InterfaceError):
        return Result(entry=entry, found=Found.UNREAD, old=short(old), new=short(new), failure=read)
    observe(workspace, entry.place, read, "M21")
    entry.refresh_from_db()
    return Result(
        entry=entry, found=_compared(read.digest, old=old, new=new), old=short(old), new=short(new), now=read.fingerprint
    )


def read_state(workspace: Workspace, ref: str, _wanted: Wanted) -> Known:
    return read_key(workspace, ref)


def is_new_key(state: Known, wanted: Wanted) -> bool:
    """Whether the key that was read is the one that was sent."""
    return bool(state.digest == wanted["root_key"])


def _verify(workspace: Workspace, ref: str, change: Change, sent: str) -> None:
    """Compare the key after the service said that it was replaced."""
    read = read_back(workspace, ref)
    if isinstance(read, InterfaceError):
        return
    change.after = {"sent": sent, "read_back": read.digest}
    if read.digest != sent:
        change.outcome = Outcome.UNKNOWN
        change.message = "Accepted by the service, but another key was read back."


def _compared(now: str, *, old: str, new: str) -> Found:
    return {new: Found.NEW, old: Found.OLD}.get(now, Found.OTHER)


def _member(value: object, name: str) -> str:
    return str(cast("dict[str, object]", value).get(name, "")) if isinstance(value, dict) else ""
