"""One turn of a job: claim it, settle what is in flight, then step after step, each guarded by the attempt number."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import acting, kinds, moves, results
from dashboard.jobs.kinds import Kind, Step
from dashboard.jobs.models import Asked, ItemState, Job, JobItem, State
from dashboard.jobs.slices import LATER, Moved, Pause, Said, Slice
from dashboard.tokens import Workspace
from dashboard.web.errors import Stopped
from dashboard.web.problems import sentence

log = logging.getLogger(__name__)

# After this time the owner is checked again, and other work gets its turn.
TURN_SECONDS = 5.0
# With the growing pauses between, this is more than two hours of a service that does nothing but fail.
MOST_PAUSES = 20
OURS = "Something failed in Pilothouse; its log says what."


class Fenced(Exception):  # noqa: N818 - a state
    """The job is in other hands: another worker holds it."""


class Cut(BaseException):
    """The worker has to end now, wherever it is. No `except Exception` may hold it up."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a worker holds, for its heartbeat."""

    job_id: int
    attempt: int
    since: float


class Hand:
    """What a worker lends to a turn. The heartbeat's thread reads `held`; a signal sets `stopping`."""

    def __init__(self, worker_id: int | None = None, elsewhere: Callable[[], bool] = lambda: False) -> None:
        self.worker_id = worker_id
        self.elsewhere = elsewhere
        self.stopping = False
        self.held: Held | None = None


def run(job_id: int, hand: Hand) -> None:
    """Work on a job until it ends, pauses, or others wait for their turn. Does nothing when the job is not to be had.

    Raises `DatabaseError` (then the sweep will find the job) and `Cut`.
    """
    job = _claim(job_id, hand)
    if job is None:
        return
    try:
        Turn(job, hand).go()
    except Fenced:
        log.warning("Job %s went to another worker", job.pk)
    finally:
        hand.held = None


def _claim(job_id: int, hand: Hand) -> Job | None:
    """Exactly one of those who try gets it."""
    now = timezone.now()
    early = Q(state=State.WAITING, next_try_at__gt=now)
    taken = (
        Job.objects.filter(pk=job_id, state__in=(State.QUEUED, State.WAITING))
        .exclude(early)
        .update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            worker=hand.worker_id,
            heartbeat_at=now,
            started_at=Coalesce("started_at", now),
            next_try_at=None,
            words="",
        )
    )
    return Job.objects.get(pk=job_id) if taken else None


class Turn:
    """A claimed job. Every write is refused as `Fenced` once another worker has it."""

    def __init__(self, job: Job, hand: Hand) -> None:
        self.job = job
        self.hand = hand
        self.asked = job.asked

    def go(self) -> None:
        kind = kinds.find(self.job.kind)
        if kind is None:
            moves.rest(self._mine, State.FAILED, words="This version of Pilothouse does not know how to do it.")
            return
        try:
            while self._stretch(kind):
                pass
        except Cut:
            self._give_back(kind)
            raise
        except (Fenced, DatabaseError):
            raise
        except Pause as wish:
            self._pause(kind, wish.seconds, wish.words)
        except LATER as error:
            self._pause(kind, acting.pause_after(error, self.job.pauses), sentence(error))
        except Exception as error:  # noqa: BLE001 - a feature's mistake must not end the worker
            moves.rest(self._mine, State.FAILED, words=self._reason(error))

    def _stretch(self, kind: Kind) -> bool:
        """As many steps as fit in a turn, with a workspace made for them. False when the job is out of our hands."""
        with acting.workspace_of(self.job.owner_id) as workspace:
            until = time.monotonic() + TURN_SECONDS
            while time.monotonic() < until and not self.hand.stopping:
                flying = self._flying(kind.at_once)
                if not flying and (self._left() or not self._begin(kind, workspace)):
                    return False
                if flying:
                    self._step(kind.settle or _repeat, workspace, flying, settling=True)
        if self.hand.stopping or self.hand.elsewhere():
            self._give_back(kind)
            return False
        return True

    def _begin(self, kind: Kind, workspace: Workspace) -> bool:
        """The next step. False when there is none: the job is done."""
        items = self._take(kind.at_once)
        if not items and self.job.cursor is None:
            moves.rest(self._mine, State.DONE)
            return False
        self._step(kind.step, workspace, items)
        return True

    def _left(self) -> bool:
        """Between two steps, with nothing in flight: leave the job where somebody wants that."""
        self._hold()
        if self.asked == Asked.CANCEL:
            return moves.rest(self._mine, State.CANCELLED)
        if self.asked == Asked.PAUSE:
            return moves.rest(self._mine, State.PAUSED)
        return False

    def _step(self, step: Step, workspace: Workspace, items: Sequence[JobItem], *, settling: bool = False) -> None:
        self.hand.held = Held(self.job.pk, self.job.attempt, time.monotonic())

        def stopping() -> bool:
            return self.hand.stopping or (bool(self.asked) and not settling)

        piece = Slice(self.job, items, save=self._save, stopping=stopping, settling=settling)
        try:
            step(workspace, piece)
        except (Fenced, DatabaseError):
            raise
        except BaseException:
            piece.save()
            raise
        if not (settling and self.hand.stopping):
            for item in piece.open_items():
                piece.unknown(item, "It was not said what became of it.")
        piece.save()

    def _take(self, most: int) -> list[JobItem]:
        """The next items, marked as being in flight before anything is sent."""
        with transaction.atomic():
            self._hold()
            items = list(self.job.items.filter(state=ItemState.WAITING).order_by("tries", "number")[:most])
            self._fly(items, tries=F("tries") + 1, started_at=timezone.now())
        for item in items:
            item.tries += 1
        return items

    def _flying(self, most: int) -> list[JobItem]:
        """Items in flight since an earlier slice, taken over by this attempt."""
        items = list(self.job.items.filter(state=ItemState.UNDERWAY).order_by("number")[:most])
        if items:
            with transaction.atomic():
                self._hold()
                self._fly(items)
        return items

    def _fly(self, items: Sequence[JobItem], **values: Any) -> None:
        if items:
            found = JobItem.objects.filter(pk__in=[item.pk for item in items])
            found.update(state=ItemState.UNDERWAY, attempt=self.job.attempt, **values)

    def _save(self, said: dict[int, Said], moved: Moved | None) -> None:
        with transaction.atomic():
            self._hold(**results.counted(said, moved))
            results.write(said)
        if moved:
            self.job.cursor = moved.cursor
        if moved or any(one.state != ItemState.WAITING for one in said.values()):
            self.job.pauses = 0

    def _hold(self, **values: Any) -> None:
        """Prove that the job is still ours, tell the heartbeat, learn what is asked of it. Raises `Fenced`."""
        if not self._mine.update(heartbeat_at=timezone.now(), **values):
            raise Fenced
        self.asked = Job.objects.values_list("asked", flat=True).get(pk=self.job.pk)

    def _pause(self, kind: Kind, seconds: float, words: str) -> None:
        if self.job.pauses >= MOST_PAUSES:
            moves.rest(self._mine, State.FAILED, words=f"It was tried again {MOST_PAUSES} times without a success. {words}")
            return
        after = max(seconds, kind.quiet)
        moves.queue(self._mine, state=State.WAITING, after=after, words=words, pauses=F("pauses") + 1)

    def _give_back(self, kind: Kind) -> None:
        """Let another turn go on, after the service had time to end what may be in flight."""
        flying = self.job.items.filter(state=ItemState.UNDERWAY).exists()
        moves.queue(self._mine, after=kind.quiet if flying else 0.0)

    def _reason(self, error: Exception) -> str:
        if reason := acting.ending(error):
            return reason
        if isinstance(error, InterfaceError):
            return sentence(error)
        if isinstance(error, Stopped):
            return error.problem.result
        log.error("Job %s (%s) failed", self.job.pk, self.job.kind, exc_info=error)
        return OURS

    @property
    def _mine(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, attempt=self.job.attempt, state=State.RUNNING)


def _repeat(_workspace: Workspace, piece: Slice) -> None:
    """The way to settle where repeating has no effect."""
    for item in piece.items:
        piece.again(item)
