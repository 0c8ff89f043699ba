"""Last known data per token, shown while the service doesn't answer.

Rows belong to a credential: they are found by its fingerprint and deleted with it. Secret values, root keys and bodies are never
stored. Reads are collected in memory, because pool threads must not touch the database, and saved when the request ends.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import msgspec
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.interfaces.operations import OPERATIONS, READS, Kept, Operation
from dashboard.interfaces.transport import Ask
from dashboard.tokens import abilities, names
from dashboard.tokens.models import LastKnown, StoredToken
from dashboard.web.process.database import give_back
from dashboard.web.process.parallel import apart

T = TypeVar("T")

KEPT = frozenset(ident for ident, read in READS.items() if read.kept is Kept.LAST_KNOWN)
# Failures of the service, which don't change what the token may see.
UNANSWERED = (errors.Unreachable, errors.TimedOut, errors.Broken, errors.Unexpected, errors.SlowDown)
MAX_BYTES = 256 * 1024
MAX_ROWS = 500
KEPT_FOR = timedelta(days=30)
WRITE_EVERY = timedelta(minutes=1)


class Key(NamedTuple):
    """Identifies one read by one credential. `question` is a digest of its arguments."""

    fingerprint: str
    operation: str
    question: str


@dataclass(frozen=True, slots=True)
class Known:
    """The stored answer of one read, as JSON."""

    body: bytes
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """One read by one credential: the project or space, and the record or failure."""

    fingerprint: str
    operation: str
    place: str
    answer: object


_keepers: list[Callable[[Sequence[Reading]], None]] = []
_forgetters: list[Callable[[str], None]] = []


def follow(keep: Callable[[Sequence[Reading]], None], forget: Callable[[str], None]) -> None:
    """Register functions for the reads of each request, and for the deletion of a token's data. Once, in a `feature`."""
    _keepers.append(keep)
    _forgetters.append(forget)


class Slow(Exception):  # noqa: N818 - says what the service is
    """The service takes longer than a page waits. No `InterfaceError`, so that pages that ignore failed reads don't catch it."""

    def __init__(self, operation: str) -> None:
        super().__init__(operation)
        self.failure = errors.TimedOut(operation=operation, service=OPERATIONS[operation].service)


class Readings:
    """The successful and failed reads of one request. `kept`: operations whose answers are saved as last known data.

    `patience`: seconds after the first call until reads raise `Slow` (None: wait as long as the calls take). `under_way`: calls
    of an earlier request for the same page, whose answers are used once.
    """

    def __init__(
        self,
        *,
        kept: frozenset[str] = KEPT,
        patience: float | None = None,
        under_way: Mapping[Key, Future[Any]] | None = None,
    ) -> None:
        self.kept = kept
        self.done: dict[Key, object] = {}
        self.asked: dict[Key, InterfaceError | None] = {}
        self.places: dict[Key, str] = {}
        self.calls: dict[Key, Future[Any]] = {}
        self._patience = patience
        self._until: float | None = None
        self._under_way = dict(under_way or {})
        self._lock = Lock()

    def wait(self) -> None:
        """From now on, wait as long as the calls take."""
        self._patience = None

    def read(self, key: Key, shape: Any, ask: Callable[[], T], *, waits: bool = False) -> T:  # noqa: ARG002 - `Replay` needs the shape
        with self._lock:
            self.asked[key] = None
        try:
            record: T = ask() if waits or READS[key.operation].kept is Kept.NEVER_LEFT else self._answer(key, ask)
        except InterfaceError as error:
            with self._lock:
                self.asked[key] = error
            raise
        with self._lock:
            self.done[key] = record
        if key.operation == "M1":
            names.learn(key.fingerprint, record)  # type: ignore[arg-type] # M1 answers with projects
        return record

    def _answer(self, key: Key, ask: Callable[[], T]) -> T:
        with self._lock:
            call, patience = self._under_way.pop(key, None), self._patience
            if call is None and patience is not None:
                call = self.calls[key] = apart(ask)
                self._until = self._until or time.monotonic() + patience
        if call is None:
            return ask()
        give_back()
        left = None if patience is None or self._until is None else max(0.0, self._until - time.monotonic())
        if not wait([call], left).done:
            raise Slow(key.operation)
        answer: T = call.result()
        return answer

    def flush(self) -> None:
        """Save the answers, and delete those that the token may no longer read."""
        with self._lock:
            done, self.done = self.done, {}
            failed = {key: error for key, error in self.asked.items() if error is not None}
            places, self.places = self.places, {}
        for key, error in failed.items():
            if isinstance(error, errors.NotAllowed | errors.NotFound):
                LastKnown.objects.filter(**key._asdict()).delete()
        _keep({key: msgspec.json.encode(_without_secrets(record)) for key, record in done.items() if key.operation in self.kept})
        answers = {**failed, **done}
        readings = [
            Reading(key.fingerprint, key.operation, place, answers[key]) for key, place in list(places.items()) if key in answers
        ]
        for keep in _keepers if readings else ():
            keep(readings)


class Replay(Readings):
    """Repeat a request without calls: answer from its own reads, then from last known data."""

    def __init__(self, first: Readings, failure: InterfaceError) -> None:
        super().__init__()
        self.done = dict(first.done)
        self.asked = dict(first.asked)
        self.failure = failure
        self.as_of: datetime | None = None
        self._known = _load(first.asked)

    @contextmanager
    def gate(self, _operation: Operation, _scope: str) -> Iterator[None]:
        """Refuse every call with the original failure."""
        raise self.failure
        yield

    def read(self, key: Key, shape: Any, ask: Callable[[], T], *, waits: bool = False) -> T:  # noqa: ARG002 - replays never call
        if key in self.done:
            return self.done[key]  # type: ignore[return-value] # what `ask` returned before
        if (refusal := self.asked.get(key)) is not None and not isinstance(refusal, UNANSWERED):
            raise refusal
        known = self._known.get(key)
        with self._lock:
            self.asked.setdefault(key, None)
            if known is None:
                raise self.failure
            self.as_of = min(self.as_of or known.read_at, known.read_at)
        try:
            return msgspec.json.decode(known.body, type=shape)  # type: ignore[no-any-return] # `shape` is T
        except msgspec.MsgspecError:
            raise self.failure from None


@dataclass(frozen=True, slots=True)
class Memory:
    """One credential's readings at one project or space, as a cache for an interface. `waits`: ignore the page's patience."""

    readings: Readings
    fingerprint: str
    place: str
    waits: bool = False

    def read(self, operation: str, question: str, shape: Any, ask: Callable[[], T]) -> T:
        key = Key(self.fingerprint, operation, digest(self.place, question))
        self.readings.places[key] = self.place or msgspec.json.decode(question)[0].get("ref", "")
        return self.readings.read(key, shape, ask, waits=self.waits)


def digest(place: str, question: str) -> str:
    return sha256(f"{place} {question}".encode()).hexdigest()


def recall(fingerprint: str, operation: str, shape: type[T]) -> tuple[T, datetime] | None:
    """Return the token's last answer to an operation without arguments, and its time; None if nothing is stored."""
    row = LastKnown.objects.filter(fingerprint=fingerprint, operation=operation, read_at__gt=timezone.now() - KEPT_FOR).first()
    if row is None:
        return None
    try:
        return msgspec.json.decode(bytes(row.body), type=shape), row.read_at
    except msgspec.MsgspecError:
        return None


def of_project(fingerprint: str, operation: str, ref: str) -> Key:
    """Return the key of a read whose only argument is the project."""
    return Key(fingerprint, operation, digest("", Ask(operation, {"ref": ref}).question))


def of_buckets(fingerprint: str, space: str) -> Key:
    """Return the key of the list of a space's buckets (S2)."""
    return Key(fingerprint, "S2", digest(space, Ask("S2").question))


def remembered(keys: Mapping[str, Key], shape: type[T]) -> dict[str, T]:
    """Return last known answers by the names of their keys. Calls no service."""
    found = _load(keys.values())
    return {name: msgspec.json.decode(found[key].body, type=shape) for name, key in keys.items() if key in found}


def read_since(keys: Mapping[str, Key], since: datetime) -> set[str]:
    """Return the names of the keys whose answers were read since then. Doesn't load the answers."""
    recent = LastKnown.objects.filter(fingerprint__in={key.fingerprint for key in keys.values()}, read_at__gte=since)
    found = {Key(*row) for row in recent.values_list(*Key._fields)}
    return {name for name, key in keys.items() if key in found}


def forget(fingerprint: str) -> None:
    """Delete everything that this credential read."""
    names.forget(fingerprint)
    LastKnown.objects.filter(fingerprint=fingerprint).delete()
    abilities.forget(fingerprint)
    for delete in _forgetters:
        delete(fingerprint)


def forget_unheld(fingerprint: str) -> None:
    """Delete a token's data if no person stores that token any more."""
    if not StoredToken.objects.filter(fingerprint=fingerprint).exists():
        forget(fingerprint)


def _load(keys: Iterable[Key]) -> dict[Key, Known]:
    wanted = set(keys)
    rows = LastKnown.objects.filter(
        fingerprint__in={key.fingerprint for key in wanted},
        question__in={key.question for key in wanted},
        read_at__gt=timezone.now() - KEPT_FOR,
    )
    found = {Key(row.fingerprint, row.operation, row.question): Known(bytes(row.body), row.read_at) for row in rows}
    return {key: known for key, known in found.items() if key in wanted}


def _keep(answers: Mapping[Key, bytes]) -> None:
    """Store answers, except those that were stored less than a minute ago."""
    now, known = timezone.now(), _load(answers)
    fresh = {key for key, row in known.items() if row.body == answers[key] and row.read_at > now - WRITE_EVERY}
    rows = []
    # In one order, so that requests of the same token at the same time don't lock each other out.
    for key in sorted(answers.keys() - fresh):
        if len(answers[key]) <= MAX_BYTES:
            rows.append(LastKnown(**key._asdict(), body=answers[key], read_at=now))
        else:
            LastKnown.objects.filter(**key._asdict()).delete()
    LastKnown.objects.bulk_create(rows, update_conflicts=True, unique_fields=Key._fields, update_fields=("body", "read_at"))
    for fingerprint in {key.fingerprint for key in answers.keys() - known.keys()}:
        _prune(fingerprint, now)


def _prune(fingerprint: str, now: datetime) -> None:
    mine = LastKnown.objects.filter(fingerprint=fingerprint)
    LastKnown.objects.filter(pk__in=list(mine.values_list("pk", flat=True)[MAX_ROWS:])).delete()
    LastKnown.objects.filter(read_at__lt=now - KEPT_FOR).delete()


def _without_secrets(record: object) -> object:
    """Replace digests of secrets by zeros of the same length, and values by one character."""
    if isinstance(record, list):
        return [msgspec.structs.replace(one, value=_blank(one)) if isinstance(one, Secret) else one for one in record]
    return record


def _blank(secret: Secret) -> str:
    return "0" * (min(len(secret.value), 1) if secret.value_is == "value" else len(secret.value))
