"""Messages and errors about writes whose outcome is being checked."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.interfaces.operations import WRITES, Doubt
from dashboard.jobs.settlement_queue import clock, not_applied
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications import outbox
from dashboard.web.failures.cards import Problem, Step, Stopped, Unconfirmed
from dashboard.web.failures.operations import words
from dashboard.web.failures.problems import problem_of
from dashboard.web.input.idempotency import Answer, Ended

# A page shows at most this many outcomes; the others are reported by notifications only.
MOST_SEEN = 20
# The kind of notification that reports the outcome of a write in doubt.
ENDED = "doubt ended"


class Unsettled(Stopped):
    """An earlier write to the same thing is still being checked or sent, so this one was not sent."""

    def __init__(self, entry: Entry, *, can_check: bool = False, can_resend: bool = False) -> None:
        self.entry = entry
        what = words(entry.operation)
        then = "You can send it again now if nothing changed since." if can_resend else "Then you can send it again."
        if entry.check_until:
            title, result = "An earlier change is still being checked", f"The outcome of an earlier request to {what} is unknown."
            until = clock(entry.check_until)
            cause = f"It may still be carried out. We check until {until}. {then}"
        else:
            title, result = "An earlier change is still being sent", f"An earlier request to {what} waits for its answer."
            cause = "Try again when it has ended."
        super().__init__(
            Problem(
                409,
                title,
                result=f"Nothing was sent. {result}",
                cause=cause,
                step=Step("Send again", resend_url(entry)) if can_resend else _check(entry.pk) if can_check else None,
                tone="attention",
                icon="circle-question-mark",
                kind="Unsettled",
                effect=Effect.NOT_SENT,
            )
        )

    def __str__(self) -> str:
        return f"{self.problem.title}. {self.problem.result}"


@dataclass(frozen=True, slots=True)
class Row:
    """A write that is being checked, formatted for pages."""

    what: str
    target: str
    at: datetime
    answer: str
    until: str
    href: str
    place: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A person's writes that are being checked, at all places. `here` is the address that refreshes the strip."""

    rows: tuple[Row, ...]
    here: str


def confirmation_of(lost: InterfaceError, entry_id: int, until: datetime) -> Unconfirmed:
    """Return the error for a write without an answer that is now being checked."""
    problem = replace(
        problem_of(lost),
        title="The outcome is unknown",
        cause=f"We check until {clock(until)} and tell you then.",
        step=_check(entry_id),
        retry_at=None,
        tone="attention",
        icon="circle-question-mark",
    )
    return Unconfirmed(lost, problem, entry_id)


def unsettled_of(request: HttpRequest) -> Strip | None:
    """Return the person's writes that are being checked, for the frame."""
    return strip_of(request.user.pk) if request.user.is_authenticated else None


def strip_of(person_id: int) -> Strip:
    entries = Entry.objects.in_doubt_of(person_id)
    asked = {"seen": ",".join(str(entry.pk) for entry in entries[:MOST_SEEN])} if entries else {}
    return Strip(tuple(_row(entry) for entry in entries), here=reverse("jobs:unsettled", query=asked))


def outcome_of(entry: Entry) -> str:
    """Describe the outcome of an entry in a sentence."""
    what = words(entry.operation)
    told = f"{what[:1].upper()}{what[1:]} ({entry.target})" if entry.target else what
    if entry.outcome == Outcome.DONE:
        return f"{told}: done. {entry.answer} Verified."
    if entry.outcome == Outcome.PARTLY and entry.after:
        part = f"{entry.after['done']:,} of {entry.after['of']:,}"
        return f"{told}: {part} done. {entry.answer} Verified."
    if entry.outcome == Outcome.UNKNOWN:
        return f"{told}: unknown. {entry.answer} Check the current state before you send it again."
    ended = not_applied(entry.settled_at)
    return f"{told}: {ended[:1].lower()}{ended[1:]}"


def ended_form(entry_id: int) -> Ended | None:
    """Return the answer to a form sent again, by the outcome of its first request; None while that is unknown."""
    entry = Entry.objects.filter(pk=entry_id).first()
    if entry is None or entry.outcome in {Outcome.UNKNOWN, Outcome.OPEN}:
        return None
    if entry.outcome not in {Outcome.DONE, Outcome.PARTLY}:
        return Ended()
    tone = "good" if entry.outcome == Outcome.DONE else "info"
    changed = [thing for thing in ("outcome", WRITES[entry.operation].settlement.changes) if thing]
    to = reverse("journal:show", args=[entry.pk])
    return Ended(Answer(message=outcome_of(entry), tone=tone, changed=changed, to=to, link=[]))


def tell(entry_id: int) -> None:
    """Notify the author of a write of its outcome. A later outcome replaces the text."""
    entry = Entry.objects.select_related("person").get(pk=entry_id)
    title, key, address = outcome_of(entry), str(entry.pk), reverse("journal:show", args=[entry.pk])
    if not outbox.reword(ENDED, key, title):
        outbox.notify(ENDED, [entry.person], title=title, address=address, key=key, place=entry.place)


def _row(entry: Entry) -> Row:
    return Row(
        what=words(entry.operation),
        target=entry.target,
        at=entry.started_at,
        answer=entry.answer,
        until=clock(entry.check_until),
        href=check_url(entry),
        place=entry.place,
    )


def check_url(entry: Entry) -> str:
    """Return the address where a person can check the outcome now."""
    return reverse("jobs:outcome", args=[entry.pk])


def may_resend(entry: Entry) -> bool:
    """Whether a write in doubt may be repeated. What that needs may be gone."""
    is_repeatable = WRITES[entry.operation].settlement.doubt is Doubt.RESEND
    return bool(is_repeatable and entry.check_until and entry.expected)


def resend_url(entry: Entry) -> str:
    """Return the address where a write in doubt can be sent again."""
    return reverse("jobs:resend", args=[entry.pk, entry.place])


def _check(entry_id: int) -> Step:
    return Step("Check now", reverse("jobs:outcome", args=[entry_id]))
