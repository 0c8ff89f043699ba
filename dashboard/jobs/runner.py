"""Run a claimed job: settle items in flight, then run step after step. Every write checks the lease."""

import logging
import math
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db import Error as DatabaseError
from django.db.models import Count, F, Min
from django.utils import timezone

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import kinds, plans, settlement, transitions
from dashboard.jobs.batch import Batch, Pause, Stop, is_retryable
from dashboard.jobs.kinds import Kind, Step
from dashboard.jobs.lease import Interrupted, Lease, LeasedJob, LeaseLost, WorkerHandle
from dashboard.jobs.models import ItemState, Job, JobItem, Phase, Request, State
from dashboard.jobs.settlement_queue import FIRST_CHECK_SECONDS, clock, pause_before
from dashboard.journal.models import Entry, Outcome
from dashboard.tokens.actor import backoff_seconds, stop_reason, workspace_of
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.problems import said, sentence
from dashboard.web.text import counted

log = logging.getLogger(__name__)

# After this time the owner's rights are checked again, and other jobs get a turn.
SLICE_SECONDS = 5.0
# With growing pauses, this allows for over two hours of a failing service.
MOST_PAUSES = 20
INTERNAL_ERROR = "Something failed in Pilothouse. Its log has the details."


def run(job: Job, handle: WorkerHandle) -> None:
    """Work on a claimed job until it ends, pauses, or other work is due.

    Raises `Interrupted`, and `DatabaseError`, after which the sweep recovers the job.
    """
    try:
        JobRun(job, handle).run()
    except LeaseLost:
        log.warning("Job %s was taken over by another worker", job.pk)
    finally:
        handle.lease = None


class JobRun(LeasedJob):
    """A claimed job that runs through its phases."""

    def __init__(self, job: Job, handle: WorkerHandle) -> None:
        super().__init__(job)
        self.handle = handle
        # Read back items left in flight by an earlier turn at once; those of this turn after a pause.
        self._next_check = 0.0
        self._in_flight = 0
        self._check_ends: datetime | None = None

    def run(self) -> None:
        kind = kinds.find(self.job.kind)
        if kind is None:
            transitions.finish(self.row, State.FAILED, message="This version of Pilothouse doesn't support this kind of job.")
            return
        try:
            while self._run_slice(kind):
                pass
        except Interrupted:
            self._release(kind)
            raise
        except (LeaseLost, DatabaseError):
            raise
        except Pause as pause:
            self._pause(kind, pause.seconds, pause.message)
        except Exception as error:  # noqa: BLE001 - a feature's mistake must not end the worker
            if isinstance(error, InterfaceError) and is_retryable(error):
                self._pause(kind, backoff_seconds(error, self.job.pauses), said(error))
            else:
                transitions.finish(self.row, State.FAILED, message=self._failure(error))

    def _run_slice(self, kind: Kind) -> bool:
        """Run steps for a few seconds with a fresh workspace. Return False if the job was released."""
        with workspace_of(self.job.owner_id, self.job.grants) as workspace:
            workspace.action = f"job-{self.job.pk}"
            until = time.monotonic() + SLICE_SECONDS
            while time.monotonic() < until and not self.handle.stopping:
                if time.monotonic() >= self._next_check:
                    self._settle(kind, workspace)
                elif self._stop_if_requested() or not self._next_step(kind, workspace):
                    return False
        if self.handle.stopping or self.handle.has_other_work():
            self._release(kind)
            return False
        return True

    def _settle(self, kind: Kind, workspace: Workspace) -> None:
        """Read back all items in flight, and schedule the next check if any remain."""
        after = 0
        entries: set[int] = set()
        while not self.handle.stopping and (in_flight := self.in_flight_items(kind.batch_size, after=after)):
            entries |= {item.entry for item in in_flight if item.entry}
            self._run_step(kind, kind.settle or _requeue_all, workspace, in_flight, settling=True)
            after = in_flight[-1].number
        for entry in entries:
            self._correct_entry(entry)
        left = self.job.items.filter(state=ItemState.IN_FLIGHT).aggregate(count=Count("pk"), first=Min("check_until"))
        self._in_flight, self._check_ends = left["count"], left["first"]
        pause = pause_before(self._check_ends) if self._check_ends else FIRST_CHECK_SECONDS
        self._next_check = time.monotonic() + pause if self._in_flight else math.inf

    def _correct_entry(self, entry_id: int) -> None:
        """Close a journal entry without an answer by the outcomes of its items, once all are known."""
        found = Counter(self.job.items.filter(entry=entry_id).values_list("state", flat=True))
        entry = Entry.objects.filter(pk=entry_id).first()
        if entry is None or found[ItemState.IN_FLIGHT] or found[ItemState.UNKNOWN]:
            return
        # `before` lists the items of the entry's batch. Those sent again belong to a later entry by now.
        listed = next((value for value in (entry.before or {}).values() if isinstance(value, list)), [None])
        done, of = found[ItemState.DONE], len(listed) - found[ItemState.SKIPPED]
        outcome = Outcome.DONE if done == of else Outcome.PARTLY if done else Outcome.NOT_APPLIED
        after = {name: value for name, value in (entry.after or {}).items() if name != "not done"}
        settlement.end(entry_id, outcome, after={**after, "done": done, "of": of})

    def _wait_for_check(self) -> None:
        """Release the job until the next check: only items in flight are left."""
        message = f"Checking the outcome of {counted(self._in_flight, 'item')} until {clock(self._check_ends)}."
        delay = max(0.0, self._next_check - time.monotonic())
        transitions.enqueue(self.row, state=State.WAITING, delay_seconds=delay, message=message)

    def _next_step(self, kind: Kind, workspace: Workspace) -> bool:
        """Run the next step, or enter the next phase. Return False if the job was released."""
        step = {Phase.PLAN: kind.plan, Phase.VERIFY: kind.verify}.get(Phase(self.job.phase), kind.step)
        items: list[JobItem] = []
        if self.job.phase == Phase.RUN:
            if not self.job.begun_at and not self._is_plan_valid(kind, workspace):
                return False
            items = [] if self._in_flight and kind.in_order else self.claim_items(kind.batch_size, in_order=kind.in_order)
            if self._in_flight and not items:
                self._wait_for_check()
                return False
        if step and (items or self.job.cursor is not None):
            self._run_step(kind, step, workspace, items)
            return True
        if self.job.phase == Phase.PLAN:
            return self._finish_plan()
        if self.job.phase == Phase.RUN and kind.verify:
            self.update(phase=Phase.VERIFY, cursor={}, scanned=0)
            return True
        transitions.finish(self.row, State.DONE)
        return False

    def _finish_plan(self) -> bool:
        """Wait for approval, or enter the run phase (True) if none is needed."""
        self.job.refresh_from_db(fields=("total", "conflicts", "facts", "parameters"))
        now = timezone.now()
        if not self.job.total:
            transitions.finish(self.row, State.DONE, total=0, planned_at=now)
            return False
        plan = kinds.plan_of(self.job)
        if plans.needs_approval(self.job, plan):
            transitions.finish(self.row, State.PLANNED, planned_at=now)
            return False
        parameters = {**self.job.parameters, "policy": plan.policy}
        self.update(phase=Phase.RUN, planned_at=now, begun_at=now, scanned=0, parameters=parameters)
        return True

    def _is_plan_valid(self, kind: Kind, workspace: Workspace) -> bool:
        """Check the plan again, once, before the run. If it is outdated, the job is planned again."""
        self.handle.lease = Lease(self.job.pk, self.job.attempt)
        reason = kind.revalidate(workspace, self.job) if kind.revalidate and self.job.planned_at else ""
        if reason:
            transitions.replan(self.row, reason)
            return False
        self.update(begun_at=timezone.now())
        return True

    def _stop_if_requested(self) -> bool:
        """Cancel or pause the job if a person requested it. Items in flight are settled before a cancellation."""
        self.renew()
        if self.requested == Request.CANCEL and self._in_flight:
            self._wait_for_check()
            return True
        if self.requested == Request.CANCEL:
            return transitions.finish(self.row, State.CANCELLED)
        if self.requested == Request.PAUSE:
            return transitions.finish(self.row, State.PAUSED)
        return False

    def _run_step(
        self, kind: Kind, step: Step, workspace: Workspace, items: Sequence[JobItem], *, settling: bool = False
    ) -> None:
        self.handle.lease = Lease(self.job.pk, self.job.attempt)

        def stopping() -> bool:
            return self.handle.stopping or (bool(self.requested) and not settling)

        check_until = self.check_until if kind.settle else _no_check
        batch = Batch(
            self.job,
            items,
            save=self.save,
            check_until=check_until,
            stopping=stopping,
            recheck=workspace.recheck,
            settling=settling,
        )
        try:
            step(workspace, batch)
        except (LeaseLost, DatabaseError):
            raise
        except BaseException:
            batch.save()
            raise
        if not (settling and self.handle.stopping):
            for item in batch.open_items():
                batch.unknown(item, "The outcome was not recorded.")
        batch.save()

    def _pause(self, kind: Kind, seconds: float, message: str) -> None:
        if self.job.pauses >= MOST_PAUSES:
            transitions.finish(self.row, State.FAILED, message=f"Retried {MOST_PAUSES} times without success. {message}")
            return
        delay = max(seconds, kind.settle_delay)
        transitions.enqueue(self.row, state=State.WAITING, delay_seconds=delay, message=message, pauses=F("pauses") + 1)

    def _release(self, kind: Kind) -> None:
        """Queue the job again, after time for the service to finish what is in flight."""
        in_flight = self.job.items.filter(state=ItemState.IN_FLIGHT).exists()
        transitions.enqueue(self.row, delay_seconds=kind.settle_delay if in_flight else 0.0)

    def _failure(self, error: Exception) -> str:
        if reason := stop_reason(error):
            return reason
        if isinstance(error, InterfaceError):
            return sentence(error)
        if isinstance(error, Stopped):
            return error.problem.result
        if isinstance(error, Stop):
            return str(error) or "Stopped."
        log.error("Job %s (%s) failed", self.job.pk, self.job.kind, exc_info=error)
        return INTERNAL_ERROR


def _requeue_all(_workspace: Workspace, batch: Batch) -> None:
    """Requeue all items, for kinds whose steps are safe to repeat."""
    for item in batch.items:
        batch.requeue(item)


def _no_check(_items: Sequence[JobItem], _until: datetime | None, _entry: int | None) -> None:
    """Do nothing: kinds without `settle` read nothing back."""
