"""The encryption root key of a project: fingerprint, reveal, replace. M20, M21."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import cast

from django.utils import timezone

from dashboard.features.encryption.rules import KEY_CHARACTERS, Replacement, fingerprint, short
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import review_outcome
from dashboard.jobs.settlement import Resend, Rule, Wanted, observe, settle
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import digest
from dashboard.reviews import reviews
from dashboard.reviews.models import Review
from dashboard.tokens.workspace import Workspace

TARGET = "root key"
SAVED_WITHIN = timedelta(hours=1)


class Reveal(StrEnum):
    """The ways to reveal the key."""

    SHOWN = "shown"
    COPIED = "copied"
    SAVED = "saved as a file"


class Found(StrEnum):
    """The key that the service has after a replacement was sent."""

    NEW = "new"
    OLD = "old"
    OTHER = "other"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Known:
    """What a page may show of the key. `is_usual`: it has today's format."""

    fingerprint: str
    digest: str
    is_usual: bool


@dataclass(frozen=True, slots=True)
class Revealed:
    """The key itself, for a single answer."""

    fingerprint: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a replacement, as fingerprints. `entry` is None if Pilothouse was interrupted before it was sent."""

    entry: Entry | None
    found: Found
    old: str
    new: str
    now: str = ""
    failure: InterfaceError | None = None


def purpose_of(ref: str) -> str:
    return f"root key of {ref}"


def read_key(workspace: Workspace, ref: str) -> Known:
    """Return the fingerprint of the key (M20). Safe in pool threads."""
    key = workspace.management.encryption.get(ref).root_key
    return Known(fingerprint=fingerprint(key), digest=digest(key), is_usual=len(key) == KEY_CHARACTERS)


def reveal(workspace: Workspace, ref: str, how: Reveal) -> Revealed:
    """Return the key itself (M20). The journal records how it was revealed."""
    with workspace.record("M20", target=TARGET, place=ref) as change:
        key = workspace.management.encryption.get(ref).root_key
        change.after = {"root_key": digest(key), "handed_out": how.value}
    return Revealed(fingerprint=fingerprint(key), key=key)


def was_saved(workspace: Workspace, ref: str, wanted: str) -> bool:
    """Whether the key with this digest was revealed to this person within the last hour."""
    return Entry.objects.filter(
        person=workspace.person,
        operation="M20",
        place=ref,
        outcome=Outcome.DONE,
        started_at__gte=timezone.now() - SAVED_WITHIN,
        after__root_key=wanted,
    ).exists()


def replace_key(workspace: Workspace, ref: str, replacement: Replacement) -> reviews.Outcome:
    """Send the new key (M21), and compare it with that in the answer. The outcome names the journal entry."""
    sent = stored = digest(replacement.key)
    before, wanted = {"root_key": replacement.replaces}, {"root_key": sent}
    keep = {"key": replacement.key, "generated": replacement.generated}
    with settle(workspace, "M21", target=TARGET, place=ref, before=before, wanted=wanted, keep=keep) as change:
        change.after = {"sent": sent}
        stored = digest(workspace.management.encryption.update(ref, root_key=replacement.key).root_key)
        if stored != sent:
            change.outcome = Outcome.UNKNOWN
            change.message = "The service confirmed the change, but has another key."
    return reviews.Outcome({"entry": change.entry}, is_known=stored == sent)


def read_back(workspace: Workspace, ref: str) -> Known | InterfaceError:
    """Return the current key's fingerprint (M20), or why it could not be read. Safe in pool threads."""
    try:
        return read_key(workspace, ref)
    except InterfaceError as failure:
        return failure


def result_of(workspace: Workspace, ref: str, review: Review, read: Known | InterfaceError) -> Result:
    """Return the outcome of a review, judged by the key just read. May settle the review and its entry."""
    entry = review_outcome.entry_of(review, ref)
    old, new = _digests(entry, review)
    if isinstance(read, InterfaceError):
        return Result(entry=entry, found=Found.UNREAD, old=short(old), new=short(new), failure=read)
    if entry:
        observe(workspace, ref, read, "M21")
        entry.refresh_from_db()
    review_outcome.conclude(review, ref)
    found = {new: Found.NEW, old: Found.OLD}.get(read.digest, Found.OTHER)
    return Result(entry=entry, found=found, old=short(old), new=short(new), now=read.fingerprint)


def read_state(workspace: Workspace, ref: str, _wanted: Wanted) -> Known:
    return read_key(workspace, ref)


def before_in(state: Known, _wanted: Wanted) -> dict[str, str]:
    return {"root_key": state.digest}


def send_again(workspace: Workspace, ref: str, kept: Wanted) -> None:
    """Send a replacement again (only M21)."""
    workspace.management.encryption.update(ref, root_key=kept["key"])


def is_new_key(state: Known, wanted: Wanted) -> bool:
    return bool(state.digest == wanted["root_key"])


def _digests(entry: Entry | None, review: Review) -> tuple[str, str]:
    """Return the digests of the former and the new key."""
    if entry:
        return _member(entry.before, "root_key"), _member(entry.after, "sent")
    payload = review.payload
    return (payload["replaces"], digest(payload["key"])) if payload else ("", "")


def _member(value: object, name: str) -> str:
    return str(cast("dict[str, object]", value).get(name, "")) if isinstance(value, dict) else ""


RULES = (Rule("M21", read_state, is_new_key, resend=Resend(before_in, send_again, is_gated=True)),)
