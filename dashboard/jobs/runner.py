"""One turn of a job: claim it, settle what is in flight, then step after step, each guarded by the attempt number."""

import logging
import time
from collections.abc import Sequence

from django.db import Error as DatabaseError
from django.db.models import F
from django.utils import timezone

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import actor, kinds, plans, transitions
from dashboard.jobs.batch import Pause, Slice, Stop, is_later
from dashboard.jobs.kinds import Kind, Step
from dashboard.jobs.lease import Cut, Fenced, Hand, Held, Holding, claim
from dashboard.jobs.models import Asked, ItemState, Job, JobItem, Phase, State
from dashboard.tokens.workspace import Workspace
from dashboard.web.errors import Stopped
from dashboard.web.problems import said, sentence

__all__ = ["Cut", "Hand", "run"]

log = logging.getLogger(__name__)

# After this time the owner is checked again, and other work gets its turn.
TURN_SECONDS = 5.0
# With the growing pauses between, this is more than two hours of a service that does nothing but fail.
MOST_PAUSES = 20
OURS = "Something failed in Pilothouse; its log says what."


def run(job_id: int, hand: Hand) -> None:
    """Work on a job until it ends, pauses, or others wait for their turn. Does nothing when the job is not to be had.

    Raises `DatabaseError` (then the sweep will find the job) and `Cut`.
    """
    job = claim(job_id, hand)
    if job is None:
        return
    try:
        Turn(job, hand).go()
    except Fenced:
        log.warning("Job %s went to another worker", job.pk)
    finally:
        hand.held = None


class Turn(Holding):
    """A claimed job, taken through its phases."""

    def __init__(self, job: Job, hand: Hand) -> None:
        super().__init__(job)
        self.hand = hand

    def go(self) -> None:
        kind = kinds.find(self.job.kind)
        if kind is None:
            transitions.rest(self.mine, State.FAILED, words="This version of Pilothouse does not know how to do it.")
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
        except Exception as error:  # noqa: BLE001 - a feature's mistake must not end the worker
            if isinstance(error, InterfaceError) and is_later(error):
                self._pause(kind, actor.pause_after(error, self.job.pauses), said(error))
            else:
                transitions.rest(self.mine, State.FAILED, words=self._reason(error))

    def _stretch(self, kind: Kind) -> bool:
        """As many steps as fit in a turn, with a workspace made for them. False when the job is out of our hands."""
        with actor.workspace_of(self.job.owner_id) as workspace:
            until = time.monotonic() + TURN_SECONDS
            while time.monotonic() < until and not self.hand.stopping:
                flying = self.flying(kind.at_once)
                if not flying and (self._left() or not self._begin(kind, workspace)):
                    return False
                if flying:
                    self._step(kind.settle or _repeat, workspace, flying, settling=True)
        if self.hand.stopping or self.hand.elsewhere():
            self._give_back(kind)
            return False
        return True

    def _begin(self, kind: Kind, workspace: Workspace) -> bool:
        """The next step of the phase, or the next phase. False when the job is out of our hands: it waits, or is done."""
        step = {Phase.PLAN: kind.plan, Phase.VERIFY: kind.verify}.get(Phase(self.job.phase), kind.step)
        if self.job.phase == Phase.RUN:
            if not self.job.begun_at and not self._still_true(kind, workspace):
                return False
            items = self.take(kind.at_once)
        else:
            items = []
        if step and (items or self.job.cursor is not None):
            self._step(step, workspace, items)
            return True
        if self.job.phase == Phase.PLAN:
            return self._planned()
        if self.job.phase == Phase.RUN and kind.verify:
            self.turn_to(phase=Phase.VERIFY, cursor={}, looked=0)
            return True
        transitions.rest(self.mine, State.DONE)
        return False

    def _planned(self) -> bool:
        """The plan is complete. True: it needs nobody's word, so the run begins."""
        self.job.refresh_from_db(fields=("total", "conflicts", "facts", "parameters"))
        now = timezone.now()
        if not self.job.total:
            transitions.rest(self.mine, State.DONE, total=0, planned_at=now)
            return False
        plan = plans.shown(self.job)
        if not plans.goes_by_itself(self.job, plan):
            transitions.rest(self.mine, State.PLANNED, planned_at=now)
            return False
        self.turn_to(
            phase=Phase.RUN, planned_at=now, begun_at=now, looked=0, parameters={**self.job.parameters, "policy": plan.policy}
        )
        return True

    def _still_true(self, kind: Kind, workspace: Workspace) -> bool:
        """Once, before anything is done: does the world still look as it was planned? Otherwise the plan is made again."""
        self.hand.held = Held(self.job.pk, self.job.attempt, time.monotonic())
        words = kind.changed(workspace, self.job) if kind.changed and self.job.planned_at else ""
        if words:
            transitions.plan_again(self.mine, words)
            return False
        self.turn_to(begun_at=timezone.now())
        return True

    def _left(self) -> bool:
        """Between two steps, with nothing in flight: leave the job where somebody wants that."""
        self.hold()
        if self.asked == Asked.CANCEL:
            return transitions.rest(self.mine, State.CANCELLED)
        if self.asked == Asked.PAUSE:
            return transitions.rest(self.mine, State.PAUSED)
        return False

    def _step(self, step: Step, workspace: Workspace, items: Sequence[JobItem], *, settling: bool = False) -> None:
        self.hand.held = Held(self.job.pk, self.job.attempt, time.monotonic())

        def stopping() -> bool:
            return self.hand.stopping or (bool(self.asked) and not settling)

        piece = Slice(self.job, items, save=self.save, stopping=stopping, settling=settling)
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

    def _pause(self, kind: Kind, seconds: float, words: str) -> None:
        if self.job.pauses >= MOST_PAUSES:
            transitions.rest(self.mine, State.FAILED, words=f"It was tried again {MOST_PAUSES} times without a success. {words}")
            return
        after = max(seconds, kind.quiet)
        transitions.queue(self.mine, state=State.WAITING, after=after, words=words, pauses=F("pauses") + 1)

    def _give_back(self, kind: Kind) -> None:
        """Let another turn go on, after the service had time to end what may be in flight."""
        flying = self.job.items.filter(state=ItemState.UNDERWAY).exists()
        transitions.queue(self.mine, after=kind.quiet if flying else 0.0)

    def _reason(self, error: Exception) -> str:
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


def _repeat(_workspace: Workspace, piece: Slice) -> None:
    """The way to settle where repeating has no effect."""
    for item in piece.items:
        piece.again(item)
