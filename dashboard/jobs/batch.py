"""What a step is given: some items, where the job stands, and the words for what became of each."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypeGuard, TypeVar

from django.db import transaction
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.interfaces.errors import Effect
from dashboard.jobs import actor
from dashboard.jobs.calls import AT_ONCE, pool, side_by_side
from dashboard.jobs.items import Item
from dashboard.jobs.models import ItemState as State
from dashboard.jobs.models import Job, JobItem
from dashboard.jobs.settlement_queue import WINDOW, not_applied
from dashboard.web.problems import sentence

Given = TypeVar("Given")
Got = TypeVar("Got")

# The service asks for patience: nothing is wrong with what was asked for.
RETRYABLE = (errors.SlowDown, errors.Unreachable)
SAVE_EVERY = 0.5
# A thing that got no answer so often, and was not done, is not sent any more.
MOST_SENT = 3


class Pause(Exception):  # noqa: N818 - a wish, not an error
    """Raised by a step: go on with this job in `seconds`, and say meanwhile why."""

    def __init__(self, seconds: float, message: str) -> None:
        super().__init__(message)
        self.seconds = seconds
        self.message = message


class Stop(Exception):  # noqa: N818 - a decision
    """Raised by a step: this job ends here, and says why. Its owner may let it go on."""


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of an item. A call of `Batch.for_each` may return one; None is `ItemOutcome()`. `untried`: it was no try."""

    state: State = State.DONE
    message: str = ""
    untried: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Where work by cursor stands: `seen` things more, and what goes along with it."""

    cursor: Any
    seen: int
    facts: Mapping[str, Any]
    added: Sequence[Item | str] = ()
    corrected: Mapping[int, str] = field(default_factory=dict)


def is_retryable(error: errors.InterfaceError) -> bool:
    """Whether the service may do it later: nothing is wrong with what was asked for."""
    return isinstance(error, RETRYABLE) or is_ambiguous(error)


def is_ambiguous(error: BaseException | None) -> TypeGuard[errors.InterfaceError]:
    """Whether it may have been done, so that reading back has to tell. A read inside the call may have timed out, too."""
    if isinstance(error, errors.Unexpected):
        return False  # asking again would give the same answer
    return isinstance(error, errors.InterfaceError) and (isinstance(error, errors.TimedOut) or error.effect is Effect.UNKNOWN)


def is_overdue(item: JobItem) -> bool:
    """Whether an old state proves by now that the item was not done."""
    return item.check_until is None or timezone.now() >= item.check_until


class Batch:
    """Some items of a job, in the worker's main thread."""

    def __init__(
        self,
        job: Job,
        items: Sequence[JobItem],
        *,
        save: "Save",
        check_until: "CheckUntil",
        stopping: Callable[[], bool],
        settling: bool = False,
    ) -> None:
        self.job = job
        self.settling = settling
        self.items = items
        self.parameters: dict[str, Any] = job.parameters
        self.cursor: Any = job.cursor
        self.facts: dict[str, Any] = deepcopy(job.facts)
        # What else stands or falls with the outcomes of items (by primary key) when they are written: rows of other floors.
        self.on_save: Callable[[Mapping[int, ItemOutcome]], object] | None = None
        self._save = save
        self._check_until = check_until
        self._stopping = stopping
        self._said: dict[int, ItemOutcome] = {}
        self._moved: Progress | None = None
        self._added: list[Item | str] = []
        self._corrected: dict[int, str] = {}
        self._open = {item.pk: item for item in items}

    @property
    def stopping(self) -> bool:
        """Should the step end soon? Whatever it has not begun comes again."""
        return self._stopping()

    def done(self, item: JobItem, message: str = "") -> None:
        self.record(item, ItemOutcome(State.DONE, message))

    def skipped(self, item: JobItem, message: str) -> None:
        """It was not needed: done already, gone already."""
        self.record(item, ItemOutcome(State.SKIPPED, message))

    def failed(self, item: JobItem, message: str) -> None:
        self.record(item, ItemOutcome(State.FAILED, message))

    def unknown(self, item: JobItem, message: str) -> None:
        """It can't be found out whether it was done."""
        self.record(item, ItemOutcome(State.UNKNOWN, message))

    def requeue(self, item: JobItem) -> None:
        """Nothing happened to it: it goes back in line. While settling: reading back shows the old state."""
        self.record(item, ItemOutcome(State.WAITING, untried=not self.settling))

    def record(self, item: JobItem, said: ItemOutcome) -> None:
        """Once for each item: the first word counts."""
        if self._open.pop(item.pk, None) is None:
            return
        if not self.settling or said.state != State.WAITING or item.check_until is None:
            self._said[item.pk] = said
        elif is_overdue(item):
            message = not_applied(timezone.now())
            again = item.tries < MOST_SENT
            self._said[item.pk] = (
                ItemOutcome(State.WAITING, f"{message} It is sent again.") if again else ItemOutcome(State.FAILED, message)
            )

    @contextmanager
    def sending(self, items: Sequence[JobItem]) -> Iterator[None]:
        """Send these in the block. Without an answer, an old state proves nothing for ten minutes. `for_each` does it itself."""
        self._check_until(items, timezone.now() + WINDOW)
        try:
            yield
        except errors.InterfaceError as error:
            if error.effect is not Effect.UNKNOWN:
                self._check_until(items, None)
            elif error.is_over:
                self._check_until(items, timezone.now())
            raise
        self._check_until(items, None)

    def add(self, items: Iterable[Item | str]) -> None:
        """More things to do. They are written with the next `proceed`, and forgotten if none comes: the page is done again."""
        self._added += items

    def correct(self, wrong: Mapping[int, str]) -> None:
        """Items (by number) that were taken for done and are not, each with the reason. Written with the next `proceed`."""
        self._corrected.update(wrong)

    def advance(self, cursor: Any, *, seen: int = 0) -> None:
        """Remember where work by cursor stands, with the facts as they are now and what was added or corrected; None ends it."""
        before = self._moved.seen if self._moved else 0
        self.cursor = cursor
        self._moved = Progress(cursor, before + seen, deepcopy(self.facts), tuple(self._added), dict(self._corrected))

    def done_after(self, number: int, most: int) -> list[JobItem]:
        """The next items that are done, for a check; `number` 0 begins with the first."""
        return list(self.job.items.filter(state=State.DONE, number__gt=number).order_by("number")[:most])

    def map(self, call: Callable[[Given], Got], things: Iterable[Given]) -> list[Got]:
        """What `call` answers for each thing, side by side in threads, in the same order; the first error ends it."""
        return side_by_side(call, things)

    def for_each(self, call: Callable[[JobItem], ItemOutcome | None], *, concurrency: int = AT_ONCE) -> None:
        """Run `call` for every item that has no outcome yet, side by side, and sort what comes of it.

        Refused ones fail with the service's words. When the service wants patience the others end, what was not begun goes back
        in line, and the job pauses; what may have been done or not stays in flight, to be settled. While settling, everything
        that was not read back stays in flight.
        """
        line = deque(self._open.values())
        running: dict[Future[ItemOutcome | None], JobItem] = {}
        problem: BaseException | None = None
        saved = time.monotonic()
        while True:
            while problem is None and not self.stopping and len(running) < concurrency and line:
                item = line.popleft()
                if not self.settling and item.check_until is None:
                    self._check_until([item, *islice(line, 2 * concurrency - 1)], timezone.now() + WINDOW)
                running[pool().submit(call, item)] = item
            if not running:
                break
            for future in wait(running, timeout=SAVE_EVERY, return_when=FIRST_COMPLETED).done:
                problem = self._sort(running.pop(future), future) or problem
            if time.monotonic() - saved > SAVE_EVERY:
                self.save()
                saved = time.monotonic()
        for item in () if self.settling else line:
            self.requeue(item)
        if problem:
            raise problem

    def save(self) -> None:
        """Write down what was said so far; a step does so by itself at its end."""
        if self._said or self._moved:
            with transaction.atomic():
                self._save(self._said, self._moved)
                if self.on_save:
                    self.on_save(self._said)
            if self._moved:
                self._added = self._added[len(self._moved.added) :]
                self._corrected = {k: message for k, message in self._corrected.items() if k not in self._moved.corrected}
            self._said, self._moved = {}, None

    def open_items(self) -> Iterator[JobItem]:
        """Those of which nothing was said."""
        yield from list(self._open.values())

    def _sort(self, item: JobItem, future: Future[ItemOutcome | None]) -> BaseException | None:
        """What the call came to; the error that ends this slice, if it is one."""
        error = future.exception()
        if error is None:
            self.record(item, future.result() or ItemOutcome())
        elif is_ambiguous(error) and self.settling and is_overdue(item):
            self.unknown(item, sentence(error))
        elif is_ambiguous(error):
            if error.is_over and not self.settling:
                self._check_until([item], timezone.now())
            return error
        elif isinstance(error, RETRYABLE) or (isinstance(error, Exception) and actor.ending(error)):
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
CheckUntil = Callable[[Sequence[JobItem], datetime | None], None]
