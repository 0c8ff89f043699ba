"""The batch that a step works on: a few items, the job's cursor and facts, and the outcomes it records."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, TypeGuard, TypeVar

from django.db import transaction
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.interfaces.errors import Effect
from dashboard.interfaces.operations import LONGEST_WAIT, MAY_RUN_FOR, OVER_AFTER
from dashboard.jobs.models import MESSAGE_MAX_LENGTH, Job, JobItem
from dashboard.jobs.models import ItemState as State
from dashboard.jobs.settlement_queue import not_applied
from dashboard.tokens.actor import stop_reason
from dashboard.web.failures.problems import sentence
from dashboard.web.pages.errors import NeedsToken
from dashboard.web.process.parallel import CONCURRENCY, later, map_bounded

Given = TypeVar("Given")
Got = TypeVar("Got")

# The service asks to wait; the request itself is fine.
RETRYABLE = (errors.SlowDown, errors.Unreachable)
SAVE_EVERY_SECONDS = 0.5
# An item fails after so many attempts without an answer or a change.
MOST_TRIES = 3
INSERTED_AT_ONCE = 500
# A parameter of an item that is deleted by a job that does something else, too.
DELETES = "deletes"


class Pause(Exception):  # noqa: N818 - control flow
    """Raised by a step to continue the job in `seconds`; `message` says why."""

    def __init__(self, seconds: float, message: str) -> None:
        super().__init__(message)
        self.seconds = seconds
        self.message = message


class Stop(Exception):  # noqa: N818 - control flow
    """Raised by a step to fail the job with a message. Its owner may resume it."""


@dataclass(frozen=True, slots=True)
class Item:
    """One unit of work: `target` is shown to people, `parameters` (plain JSON, no secret) are for the step.

    Three parameters are shown, too: `to` (the destination), `beside` (the name if both are kept), and that there is `deletes`
    (the item is deleted, unlike others of the job). `size` is in bytes.
    """

    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    conflict: str = ""


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The result of an item. `untried`: don't count the attempt."""

    state: State = State.DONE
    message: str = ""
    untried: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of work by cursor; `seen` counts things since the last save."""

    cursor: Any
    seen: int
    facts: Mapping[str, Any]
    added: Sequence[Item | str] = ()
    corrected: Mapping[int, str] = field(default_factory=dict)


def add_items(job: Job, items: Iterable[Item | str], *, after: int = 0) -> tuple[int, int]:
    """Insert rows numbered from `after` + 1; return the last number and the count of conflicts."""
    rows = [
        JobItem(
            job=job,
            number=number,
            target=item.target,
            parameters=dict(item.parameters),
            size=item.size,
            conflict=item.conflict[:MESSAGE_MAX_LENGTH],
        )
        for number, item in enumerate((Item(given) if isinstance(given, str) else given for given in items), start=after + 1)
    ]
    JobItem.objects.bulk_create(rows, batch_size=INSERTED_AT_ONCE)
    return after + len(rows), sum(bool(row.conflict) for row in rows)


def is_retryable(error: errors.InterfaceError) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(error, RETRYABLE) or is_ambiguous(error)


def is_ambiguous(error: BaseException | None) -> TypeGuard[errors.InterfaceError]:
    """Whether the request may have been carried out. A read inside the call may have timed out, too."""
    if isinstance(error, errors.Unexpected):
        return False  # Asking again would give the same answer.
    return isinstance(error, errors.InterfaceError) and (isinstance(error, errors.TimedOut) or error.effect is Effect.UNKNOWN)


def _doubted_until(error: errors.InterfaceError, may_run_for: timedelta = MAY_RUN_FOR) -> datetime:
    """Return the time after which an old state proves that a write was not applied; storage shows its state at once."""
    return timezone.now() if error.is_over else timezone.now() + may_run_for


def is_overdue(item: JobItem) -> bool:
    """Whether an old state now proves that the item was not done."""
    return item.check_until is None or timezone.now() >= item.check_until


class Batch:
    """A few items of a job, in the worker's main thread."""

    def __init__(
        self,
        job: Job,
        items: Sequence[JobItem],
        *,
        save: "Save",
        check_until: "CheckUntil",
        stopping: Callable[[], bool],
        recheck: Callable[[], None] = lambda: None,
        settling: bool = False,
    ) -> None:
        self.job = job
        self.settling = settling
        self.items = items
        self.parameters: dict[str, Any] = job.parameters
        self.cursor: Any = job.cursor
        self.facts: dict[str, Any] = deepcopy(job.facts)
        # Called with these items by primary key, in the transaction that saves item outcomes.
        self.on_save: Callable[[Mapping[int, ItemOutcome]], object] | None = None
        self._save = save
        self._check_until = check_until
        self._stopping = stopping
        self._recheck = recheck
        self._outcomes: dict[int, ItemOutcome] = {}
        self._progress: Progress | None = None
        self._added: list[Item | str] = []
        self._corrected: dict[int, str] = {}
        self._open = {item.pk: item for item in items}

    @property
    def stopping(self) -> bool:
        """Whether the step should return soon. Items not begun are left to a later step."""
        return self._stopping()

    def done(self, item: JobItem, message: str = "") -> None:
        self.record(item, ItemOutcome(State.DONE, message))

    def skipped(self, item: JobItem, message: str) -> None:
        """Record that there was nothing to do: the item was already done or deleted."""
        self.record(item, ItemOutcome(State.SKIPPED, message))

    def failed(self, item: JobItem, message: str) -> None:
        self.record(item, ItemOutcome(State.FAILED, message))

    def unknown(self, item: JobItem, message: str) -> None:
        """Record that the outcome can't be verified."""
        self.record(item, ItemOutcome(State.UNKNOWN, message))

    def requeue(self, item: JobItem) -> None:
        """Record that nothing happened to the item or, while settling, that it still has the old state."""
        self.record(item, ItemOutcome(State.WAITING, untried=not self.settling))

    def record(self, item: JobItem, outcome: ItemOutcome) -> None:
        """Record the outcome of an item. Only the first one counts."""
        if self._open.pop(item.pk, None) is None:
            return
        if not self.settling or outcome.state != State.WAITING or item.check_until is None:
            self._outcomes[item.pk] = outcome
        elif is_overdue(item):
            message = not_applied(timezone.now())
            may_retry = item.tries < MOST_TRIES
            self._outcomes[item.pk] = (
                ItemOutcome(State.WAITING, f"{message} Retrying.") if may_retry else ItemOutcome(State.FAILED, message)
            )

    @contextmanager
    def sending(
        self, items: Sequence[JobItem], *, entry: int | None = None, may_run_for: timedelta = MAY_RUN_FOR
    ) -> Iterator[None]:
        """Mark these items as sent. Without an answer, an old state proves nothing for `may_run_for`.

        `entry`: the journal entry of the write, to be corrected once the outcome of its items is known.
        """
        self._check_until(items, timezone.now() + LONGEST_WAIT + may_run_for, entry)
        try:
            yield
        except errors.InterfaceError as error:
            if error.effect is not Effect.UNKNOWN:
                self._check_until(items, None, None)
            else:
                self._check_until(items, _doubted_until(error, may_run_for), None)
            raise
        self._check_until(items, None, None)

    def add(self, items: Iterable[Item | str]) -> None:
        """Add items. They are saved with the next `advance`; without one, the page is processed again."""
        self._added += items

    def correct(self, wrong: Mapping[int, str]) -> None:
        """Fail items (by number) that were recorded as done, each with a message. Saved with the next `advance`."""
        self._corrected.update(wrong)

    def advance(self, cursor: Any, *, seen: int = 0) -> None:
        """Set the cursor, to be saved with the facts and the items added or corrected so far. None ends the phase."""
        before = self._progress.seen if self._progress else 0
        self.cursor = cursor
        self._progress = Progress(cursor, before + seen, deepcopy(self.facts), tuple(self._added), dict(self._corrected))

    def done_after(self, number: int, limit: int) -> list[JobItem]:
        """Return the next items that are done, after this number, for verification."""
        return list(self.job.items.filter(state=State.DONE, number__gt=number).order_by("number")[:limit])

    def map(self, call: Callable[[Given], Got], things: Iterable[Given]) -> list[Got]:
        """Run `call` for each thing in parallel threads; return the results in order. The first error is raised."""
        return map_bounded(call, things)

    def for_each(
        self,
        call: Callable[[JobItem], ItemOutcome | None],
        *,
        items: Iterable[JobItem] | None = None,
        concurrency: int = CONCURRENCY,
        entry: int | None = None,
    ) -> None:
        """Run `call` in parallel threads for every item without an outcome, or some, and record what it returns (None: done).

        A refused item fails with the service's message. A retryable error requeues the items that were not begun and pauses the
        job; an ambiguous one leaves its item in flight, to be settled. While settling, every unverified item stays in flight.
        `entry`: see `sending`.
        """
        queue = deque(self._open.values() if items is None else [item for item in items if item.pk in self._open])
        running: dict[Future[ItemOutcome | None], JobItem] = {}
        problem: BaseException | None = None
        saved = time.monotonic()
        while True:
            while problem is None and not self.stopping and len(running) < concurrency and queue:
                item = queue.popleft()
                if not self.settling and item.check_until is None:
                    self._check_until([item, *islice(queue, 2 * concurrency - 1)], timezone.now() + OVER_AFTER, entry)
                running[later(partial(call, item))] = item
            if not running:
                break
            for future in wait(running, timeout=SAVE_EVERY_SECONDS, return_when=FIRST_COMPLETED).done:
                problem = self._sort(running.pop(future), future) or problem
            problem = problem or self._find_end()
            if time.monotonic() - saved > SAVE_EVERY_SECONDS:
                self.save()
                saved = time.monotonic()
        for item in () if self.settling else queue:
            self.requeue(item)
        if problem:
            raise problem

    def save(self) -> None:
        """Save what was recorded so far. Called automatically when the step returns."""
        if self._outcomes or self._progress:
            with transaction.atomic():
                self._save(self._outcomes, self._progress)
                if self.on_save:
                    self.on_save(self._outcomes)
            if self._progress:
                self._added = self._added[len(self._progress.added) :]
                kept = self._corrected.items() - self._progress.corrected.items()
                self._corrected = dict(kept)
            self._outcomes, self._progress = {}, None

    def open_items(self) -> list[JobItem]:
        """Return the items without an outcome."""
        return list(self._open.values())

    def _find_end(self) -> Exception | None:
        """Return the error that forbids further requests, such as a revoked grant; else None."""
        try:
            self._recheck()
        except NeedsToken as over:
            return over
        return None

    def _sort(self, item: JobItem, future: Future[ItemOutcome | None]) -> BaseException | None:
        """Record the outcome of a call; return the error if it ends this batch."""
        error = future.exception()
        if error is None:
            self.record(item, future.result() or ItemOutcome())
        elif is_ambiguous(error) and self.settling and is_overdue(item):
            self.unknown(item, sentence(error))
        elif is_ambiguous(error):
            if not self.settling:
                self._check_until([item], _doubted_until(error), None)
            return error
        elif isinstance(error, RETRYABLE) or (isinstance(error, Exception) and stop_reason(error)):
            if not self.settling:
                self.requeue(item)
            return error
        elif isinstance(error, errors.Unexpected) or (self.settling and isinstance(error, errors.InterfaceError)):
            self.unknown(item, sentence(error))
        elif isinstance(error, errors.InterfaceError):
            self.failed(item, sentence(error))
        else:
            return error
        return None


Save = Callable[[dict[int, ItemOutcome], Progress | None], None]
CheckUntil = Callable[[Sequence[JobItem], datetime | None, int | None], None]
