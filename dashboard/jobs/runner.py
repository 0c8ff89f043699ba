"""One turn of a job: claim it, settle what is in flight, then step after step, each guarded by the attempt number."""

import logging
import math
import time
from collections.abc import Sequence
from datetime import datetime

from django.db import Error as DatabaseError
from django.db.models import Count, F, Min
from django.utils import timezone

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import actor, kinds, plans, transitions
from dashboard.jobs.batch import Batch, Pause, Stop, is_retryable
from dashboard.jobs.kinds import Kind, Step
from dashboard.jobs.lease import Interrupted, Lease, LeasedJob, LeaseLost, WorkerHandle, claim
from dashboard.jobs.models import ItemState, Job, JobItem, Phase, Request, State
from dashboard.jobs.settlement_queue import FIRST_CHECK_SECONDS, clock, pause_before
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Stopped
from dashboard.web.problems import said, sentence
from dashboard.web.text import counted

__all__ = ["Interrupted", "WorkerHandle", "run"]

log = logging.getLogger(__name__)

# After this time the owner is checked again, and other work gets its turn.
TURN_SECONDS = 5.0
# With the growing pauses between, this is more than two hours of a service that does nothing but fail.
MOST_PAUSES = 20
OURS = "Something failed in Pilothouse; its log says what."


def run(job_id: int, handle: WorkerHandle) -> None:
    """Work on a job until it ends, pauses, or others wait for their turn. Does nothing when the job is not to be had.

    Raises `DatabaseError` (then the sweep will find the job) and `Cut`.
    """
    job = claim(job_id, handle)
    if job is None:
        return
    try:
        JobRun(job, handle).go()
    except LeaseLost:
        log.warning("Job %s went to another worker", job.pk)
    finally:
        handle.lease = None


class JobRun(LeasedJob):
    """A claimed job, taken through its phases."""

    def __init__(self, job: Job, handle: WorkerHandle) -> None:
        super().__init__(job)
        self.handle = handle
        # What an earlier turn left in flight is read back first; what this one does, soon.
        self._look_at = 0.0
        self._in_flight = 0
        self._until: datetime | None = None

    def go(self) -> None:
        kind = kinds.find(self.job.kind)
        if kind is None:
            transitions.finish(self.mine, State.FAILED, message="This version of Pilothouse does not know how to do it.")
            return
        try:
            while self._run_slice(kind):
                pass
        except Interrupted:
            self._release(kind)
            raise
        except (LeaseLost, DatabaseError):
            raise
        except Pause as wish:
            self._pause(kind, wish.seconds, wish.message)
        except Exception as error:  # noqa: BLE001 - a feature's mistake must not end the worker
            if isinstance(error, InterfaceError) and is_retryable(error):
                self._pause(kind, actor.pause_after(error, self.job.pauses), said(error))
            else:
                transitions.finish(self.mine, State.FAILED, message=self._failure(error))

    def _run_slice(self, kind: Kind) -> bool:
        """As many steps as fit in a turn, with a workspace made for them. False when the job is out of our hands."""
        with actor.workspace_of(self.job.owner_id) as workspace:
            until = time.monotonic() + TURN_SECONDS
            while time.monotonic() < until and not self.handle.stopping:
                if time.monotonic() >= self._look_at:
                    self._look(kind, workspace)
                elif self._stop_if_asked() or not self._next_step(kind, workspace):
                    return False
        if self.handle.stopping or self.handle.elsewhere():
            self._release(kind)
            return False
        return True

    def _look(self, kind: Kind, workspace: Workspace) -> None:
        """Read back everything that is in flight, and note when to do it again: never while nothing is."""
        after = 0
        while not self.handle.stopping and (in_flight := self.in_flight(kind.batch_size, after=after)):
            self._run_step(kind, kind.settle or _requeue_all, workspace, in_flight, settling=True)
            after = in_flight[-1].number
        left = self.job.items.filter(state=ItemState.IN_FLIGHT).aggregate(count=Count("pk"), first=Min("check_until"))
        self._in_flight, self._until = left["count"], left["first"]
        pause = pause_before(self._until) if self._until else FIRST_CHECK_SECONDS
        self._look_at = time.monotonic() + pause if self._in_flight else math.inf

    def _wait(self) -> bool:
        """Nothing is left to do but to read back what is in flight. False: the job is out of our hands."""
        message = f"Checking the outcome of {counted(self._in_flight, 'item')} until {clock(self._until)}."
        after = max(0.0, self._look_at - time.monotonic())
        transitions.enqueue(self.mine, state=State.WAITING, after=after, message=message)
        return False

    def _next_step(self, kind: Kind, workspace: Workspace) -> bool:
        """The next step of the phase, or the next phase. False when the job is out of our hands: it waits, or is done."""
        step = {Phase.PLAN: kind.plan, Phase.VERIFY: kind.verify}.get(Phase(self.job.phase), kind.step)
        if self.job.phase == Phase.RUN:
            if not self.job.begun_at and not self._revalidate(kind, workspace):
                return False
            items = [] if self._in_flight and kind.in_order else self.claim_items(kind.batch_size, in_order=kind.in_order)
            if self._in_flight and not items:
                return self._wait()
        else:
            items = []
        if step and (items or self.job.cursor is not None):
            self._run_step(kind, step, workspace, items)
            return True
        if self.job.phase == Phase.PLAN:
            return self._finish_plan()
        if self.job.phase == Phase.RUN and kind.verify:
            self.update(phase=Phase.VERIFY, cursor={}, scanned=0)
            return True
        transitions.finish(self.mine, State.DONE)
        return False

    def _finish_plan(self) -> bool:
        """The plan is complete. True: it needs nobody's word, so the run begins."""
        self.job.refresh_from_db(fields=("total", "conflicts", "facts", "parameters"))
        now = timezone.now()
        if not self.job.total:
            transitions.finish(self.mine, State.DONE, total=0, planned_at=now)
            return False
        plan = plans.plan_of(self.job)
        if not plans.goes_by_itself(self.job, plan):
            transitions.finish(self.mine, State.PLANNED, planned_at=now)
            return False
        self.update(
            phase=Phase.RUN, planned_at=now, begun_at=now, scanned=0, parameters={**self.job.parameters, "policy": plan.policy}
        )
        return True

    def _revalidate(self, kind: Kind, workspace: Workspace) -> bool:
        """Once, before anything is done: does the world still look as it was planned? Otherwise the plan is made again."""
        self.handle.lease = Lease(self.job.pk, self.job.attempt, time.monotonic())
        message = kind.revalidate(workspace, self.job) if kind.revalidate and self.job.planned_at else ""
        if message:
            transitions.replan(self.mine, message)
            return False
        self.update(begun_at=timezone.now())
        return True

    def _stop_if_asked(self) -> bool:
        """Between two steps: leave the job where somebody wants that. What is in flight is read back before it is cancelled."""
        self.renew()
        if self.requested == Request.CANCEL and self._in_flight:
            return not self._wait()
        if self.requested == Request.CANCEL:
            return transitions.finish(self.mine, State.CANCELLED)
        if self.requested == Request.PAUSE:
            return transitions.finish(self.mine, State.PAUSED)
        return False

    def _run_step(
        self, kind: Kind, step: Step, workspace: Workspace, items: Sequence[JobItem], *, settling: bool = False
    ) -> None:
        self.handle.lease = Lease(self.job.pk, self.job.attempt, time.monotonic())

        def stopping() -> bool:
            return self.handle.stopping or (bool(self.requested) and not settling)

        check_until = self.check_until if kind.settle else _no_check
        batch = Batch(self.job, items, save=self.save, check_until=check_until, stopping=stopping, settling=settling)
        try:
            step(workspace, batch)
        except (LeaseLost, DatabaseError):
            raise
        except BaseException:
            batch.save()
            raise
        if not (settling and self.handle.stopping):
            for item in batch.open_items():
                batch.unknown(item, "It was not said what became of it.")
        batch.save()

    def _pause(self, kind: Kind, seconds: float, message: str) -> None:
        if self.job.pauses >= MOST_PAUSES:
            transitions.finish(
                self.mine, State.FAILED, message=f"It was tried again {MOST_PAUSES} times without a success. {message}"
            )
            return
        after = max(seconds, kind.settle_delay)
        transitions.enqueue(self.mine, state=State.WAITING, after=after, message=message, pauses=F("pauses") + 1)

    def _release(self, kind: Kind) -> None:
        """Let another turn go on, after the service had time to end what may be in flight."""
        in_flight = self.job.items.filter(state=ItemState.IN_FLIGHT).exists()
        transitions.enqueue(self.mine, after=kind.settle_delay if in_flight else 0.0)

    def _failure(self, error: Exception) -> str:
        if reason := actor.ending(error):
            return reason
        if isinstance(error, InterfaceError):
            return sentence(error)
        if isinstance(error, Stopped):
            return error.problem.result
        if isinstance(error, Stop):
            return str(error) or "It was stopped."
        log.error("Job %s (%s) failed", self.job.pk, self.job.kind, exc_info=error)
        return OURS


def _requeue_all(_workspace: Workspace, batch: Batch) -> None:
    """The way to settle where repeating has no effect."""
    for item in batch.items:
        batch.requeue(item)


def _no_check(_items: Sequence[JobItem], _until: datetime | None) -> None:
    """Nothing has to be read back."""
