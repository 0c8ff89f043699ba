"""Send waiting messages one at a time, from a thread of the worker.

A message is claimed with a guarded UPDATE, so that one worker sends it. If the worker is killed while it sends, the claim
expires: the message is sent once more, marked as a possible repeat, and given up as unknown if that is cut, too. A channel that
fails is paused.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from dashboard.notifications import channels, kinds, mail
from dashboard.notifications.attempts import Attempt, Refused, Unsent
from dashboard.notifications.models import EMAIL, ERROR_MAX_LENGTH, Delivery, Outage, State

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
REMIND_SECONDS = 60.0
# Longer than sending one message takes.
LEASE = timedelta(minutes=2)
MOST_LOST = 2
CANDIDATES = 4
BACKOFF = timedelta(seconds=30)
BACKOFF_MAX = timedelta(hours=1)
LOST = "Sending was interrupted twice, so we can't tell whether it arrived."

_reminders: list[Callable[[], None]] = []


def add_reminder(remind: Callable[[], None]) -> None:
    """Register a function that notifies of what is due, called every minute. It must be safe to repeat and to run in parallel."""
    _reminders.append(remind)


def deliver_next() -> bool:
    """Send the message that has been due longest. Return False if none is due."""
    delivery = _claim()
    if delivery is None:
        return False
    try:
        attempt = _send(delivery)
    except DatabaseError:
        raise
    except Exception:
        # Rendering or a library failed. Other messages must still be sent.
        log.exception("Message %s could not be sent", delivery.event)
        attempt = Refused("Something failed in Pilothouse. Its log has the details.", is_final=True)
    _close(delivery, attempt)
    return True


def remind() -> None:
    """Run every registered reminder."""
    for one in _reminders:
        try:
            one()
        except DatabaseError:
            raise
        except Exception:
            # The failure of one must not affect the others or the worker.
            log.exception("A reminder failed")


class Courier(threading.Thread):
    """A thread that sends messages over its own database connection, so that a slow mail server delays no job."""

    def __init__(self) -> None:
        super().__init__(name="courier", daemon=True)
        self.ended = threading.Event()
        self._reminded: float | None = None
        self._failing = False

    def run(self) -> None:
        while not self.ended.wait(POLL_SECONDS):
            try:
                self._turn()
                self._failing = False
            except DatabaseError:
                log.error("The database failed; messages wait", exc_info=not self._failing)  # noqa: TRY400 - once is enough
                self._failing = True
                connection.close()
        connection.close()

    def end(self, seconds: float) -> None:
        """Stop after the current message, and wait for that."""
        self.ended.set()
        self.join(seconds)

    def _turn(self) -> None:
        if self._reminded is None or time.monotonic() - self._reminded > REMIND_SECONDS:
            self._reminded = time.monotonic()
            remind()
        while not self.ended.is_set() and deliver_next():
            pass


def _claim() -> Delivery | None:
    now = timezone.now()
    resting = Outage.objects.filter(retry_at__gt=now).values("channel")
    due = Delivery.objects.filter(state=State.WAITING, due_at__lte=now).exclude(channel__in=resting)
    for delivery in due.select_related("notification__person").order_by("due_at", "pk")[:CANDIDATES]:
        lost = delivery.lost + 1 if delivery.is_open else delivery.lost
        if lost >= MOST_LOST:
            _held(delivery).update(state=State.UNKNOWN, is_open=False, lost=lost, error=LOST)
            continue
        is_repeat = delivery.is_repeat or delivery.is_open
        if _held(delivery).update(is_open=True, is_repeat=is_repeat, lost=lost, attempts=F("attempts") + 1, due_at=now + LEASE):
            delivery.is_repeat, delivery.lost, delivery.attempts = is_repeat, lost, delivery.attempts + 1
            return delivery
    return None


def _held(delivery: Delivery) -> QuerySet[Delivery]:
    """Return the row, unless another attempt has begun."""
    return Delivery.objects.filter(pk=delivery.pk, state=State.WAITING, attempts=delivery.attempts)


def _send(delivery: Delivery) -> Attempt:
    person = delivery.notification.person
    kind = kinds.find(delivery.notification.kind)
    if person is not None and not person.is_active and not (kind and kind.is_security):
        return Refused("The person is deactivated.", is_final=True)
    return mail.send(delivery) if delivery.channel == EMAIL else channels.send(delivery)


def _close(delivery: Delivery, attempt: Attempt) -> None:
    """Save the outcome. Each failure of a channel makes its pause longer."""
    held = _held(delivery)
    match attempt:
        case Refused(error, is_final):
            state = State.FAILED if is_final else State.WAITING
            due_at = timezone.now() + _pause(delivery.attempts)
            held.update(state=state, is_open=False, error=error[:ERROR_MAX_LENGTH], due_at=due_at)
        case Unsent(error, may_have_arrived, was_cut):
            log.warning("Channel %s failed: %s", delivery.channel, error)
            outage, _ = Outage.objects.get_or_create(channel=delivery.channel, defaults={"error": error[:ERROR_MAX_LENGTH]})
            pause = _pause(outage.failures + 1)
            Outage.objects.filter(pk=outage.pk).update(
                failures=F("failures") + 1, retry_at=timezone.now() + pause, error=error[:ERROR_MAX_LENGTH]
            )
            lost = delivery.lost + was_cut
            held.update(
                state=State.UNKNOWN if lost >= MOST_LOST else State.WAITING,
                is_open=False,
                is_repeat=delivery.is_repeat or may_have_arrived,
                lost=lost,
                error=error[:ERROR_MAX_LENGTH],
                due_at=timezone.now(),
            )
        case _:
            held.update(state=State.SENT, is_open=False, error="")
            Outage.objects.filter(channel=delivery.channel).delete()


def _pause(attempts: int) -> timedelta:
    return min(BACKOFF * 2.0 ** min(attempts - 1, 10), BACKOFF_MAX)
