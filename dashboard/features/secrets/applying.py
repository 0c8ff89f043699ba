"""Send what was chosen of a plan: one M6, at most one M7, then M5, and one outcome for each name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.features.secrets.plans import is_same
from dashboard.interfaces import errors
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.journal.models import Outcome
from dashboard.journal.recording import digest
from dashboard.tokens.workspace import Workspace

# Something may have been done: only reading back can tell.
UNSETTLED = (errors.UnknownOutcome, errors.TimedOut, errors.Broken, errors.Unexpected)
STORED, DIFFERS, MISSING, UNKNOWN = "stored", "differs", "missing", "unknown"
DELETED, STILL_THERE, NOT_SENT = "deleted", "still there", "not sent"
GOOD = (STORED, DELETED)
TARGET_NAMES = 5
WORDS = {
    STORED: ("Stored", "good"),
    DIFFERS: ("Holds another value", "danger"),
    MISSING: ("Missing", "danger"),
    UNKNOWN: ("Unknown", "attention"),
    DELETED: ("Deleted", "good"),
    STILL_THERE: ("Still there", "danger"),
    NOT_SENT: ("Not deleted: not sent", "neutral"),
}


@dataclass(frozen=True, slots=True)
class Named:
    """How one name ended: `state` is one of the words above."""

    name: str
    state: str

    @property
    def word(self) -> str:
        return WORDS[self.state][0]

    @property
    def tone(self) -> str:
        return WORDS[self.state][1]


@dataclass(frozen=True, slots=True)
class Applied:
    """How each name ended. `refusal`: what the service said no to. `unanswered`: a request whose outcome was settled by reading.

    `unread`: why the list could not be read back. `sent`: something may have been done.
    """

    written: tuple[Named, ...] = ()
    deleted: tuple[Named, ...] = ()
    refusal: InterfaceError | None = None
    unanswered: bool = False
    unread: InterfaceError | None = None
    sent: bool = True

    @property
    def named(self) -> list[Named]:
        """All names, those that did not end well first."""
        return sorted((*self.written, *self.deleted), key=lambda named: named.state in GOOD)

    @property
    def is_good(self) -> bool:
        return self.refusal is None and all(named.state in GOOD for named in self.named)

    @property
    def title(self) -> str:
        """How many ended how, in words."""
        states = [named.state for named in self.named]
        counts = [f"{states.count(state)} {WORDS[state][0].lower()}" for state in WORDS if state in states]
        return ", ".join(counts).capitalize()


def apply(
    workspace: Workspace, ref: str, values: Mapping[str, str], names: Sequence[str], known: Mapping[str, Secret]
) -> Applied:
    """Save `values` (M6), delete `names` (M7), read back (M5). What is empty is not sent; after a doubtful M6 no M7 is.

    `known` is what the service returned last, by name. Raises `NotRecorded` when the journal can't be written.
    """
    write = _save(workspace, ref, values, known) if values else _Sent(settled=True)
    if write.refusal:
        return Applied(refusal=write.refusal, sent=False)
    delete = _delete(workspace, ref, names, known) if names and write.settled else _Sent(skipped=bool(names))
    if delete.refusal and not values:
        return Applied(refusal=delete.refusal, sent=False)
    seen, unread = (write.seen, write.unread) if write.unanswered and not write.settled else _read_back(workspace, ref)
    return Applied(
        tuple(Named(name, _written(value, seen, name)) for name, value in values.items()),
        tuple(Named(name, _gone(seen, name, delete)) for name in names),
        delete.refusal,
        write.unanswered or delete.unanswered,
        unread,
    )


Seen = Mapping[str, Secret]


@dataclass(frozen=True, slots=True)
class _Sent:
    """How a request ended: not sent (`skipped`), refused, or without an answer that counts; `settled`: it is known to be done.

    `seen` is what was read back at once, by name, `unread` why it could not be.
    """

    settled: bool = False
    skipped: bool = False
    refusal: InterfaceError | None = None
    unanswered: bool = False
    seen: Seen | None = None
    unread: InterfaceError | None = None


@dataclass(frozen=True, slots=True)
class _Write:
    """One write: what the journal says of it, how it is sent, and how reading back tells that it was done."""

    operation: str
    names: Sequence[str]
    after: Mapping[str, object]
    request: Callable[[], None]
    is_done: Callable[[Seen], bool]


def _save(workspace: Workspace, ref: str, values: Mapping[str, str], known: Seen) -> _Sent:
    write = _Write(
        "M6",
        list(values),
        {"values": {name: digest(value) for name, value in values.items()}},
        lambda: workspace.management.secrets.create(ref, values),
        lambda seen: all(_written(value, seen, name) == STORED for name, value in values.items()),
    )
    return _send(workspace, ref, write, known)


def _delete(workspace: Workspace, ref: str, names: Sequence[str], known: Seen) -> _Sent:
    write = _Write(
        "M7",
        names,
        {},
        lambda: workspace.management.secrets.delete(ref, names),
        lambda seen: not any(name in seen for name in names),
    )
    return _send(workspace, ref, write, known)


def _send(workspace: Workspace, ref: str, write: _Write, known: Seen) -> _Sent:
    """One journaled write. Without an answer that counts, the list is read at once, and the journal says what that shows."""
    before = {name: digest(known[name].value) for name in write.names if name in known}
    returned = {"returned": before} if before else None
    try:
        with workspace.record(write.operation, target=_target(write.names), place=ref, before=returned) as change:
            change.after = {**write.after} or None
            try:
                write.request()
            except UNSETTLED as error:
                seen, unread = _read_back(workspace, ref)
                settled = seen is not None and write.is_done(seen)
                change.outcome = Outcome.DONE if settled else Outcome.UNKNOWN
                change.status, change.message = error.status, error.text or str(error)
                change.after = {**write.after, "read back": "all done" if settled else "not all done"}
                return _Sent(settled=settled, unanswered=True, seen=seen, unread=unread)
    except InterfaceError as refusal:
        return _Sent(refusal=refusal)
    return _Sent(settled=True)


def _read_back(workspace: Workspace, ref: str) -> tuple[Seen | None, InterfaceError | None]:
    try:
        return {secret.name: secret for secret in workspace.management.secrets.all(ref)}, None
    except InterfaceError as error:
        return None, error


def _written(value: str, seen: Seen | None, name: str) -> str:
    if seen is None:
        return UNKNOWN
    if name not in seen:
        return MISSING
    return STORED if is_same(seen[name], value) else DIFFERS


def _gone(seen: Seen | None, name: str, delete: _Sent) -> str:
    if delete.skipped:
        return NOT_SENT
    if seen is None:
        return UNKNOWN
    return STILL_THERE if name in seen else DELETED


def _target(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"secret {names[0]}"
    more = f" and {len(names) - TARGET_NAMES} more" if len(names) > TARGET_NAMES else ""
    return f"{len(names)} secrets: {', '.join(names[:TARGET_NAMES])}{more}"
