"""Messages and errors about writes whose outcome is being checked."""

from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.jobs.settlement_queue import clock, not_applied
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications import outbox
from dashboard.web.cards import Problem, Step, Stopped
from dashboard.web.errors import Unconfirmed
from dashboard.web.operations import WORDS, words
from dashboard.web.problems import problem_of

MOST = 20
# The kind of the notification that says how a doubt ended.
ENDED = "doubt ended"


class Unsettled(Stopped):
    """An earlier write to the same thing is still being checked or sent, so this one was not sent."""

    def __init__(self, entry: Entry, *, can_check: bool = False) -> None:
        self.entry = entry
        what = words(entry.operation)
        if entry.check_until:
            title, result = "An earlier change is still being checked", f"The outcome of an earlier request to {what} is unknown."
            until = clock(entry.check_until)
            cause = f"It may still be carried out. Pilothouse checks until {until}; after that you can send it again."
        else:
            title, result = "An earlier change is still being sent", f"An earlier request to {what} waits for its answer."
            cause = "Try again when it has ended."
        super().__init__(
            Problem(
                409,
                title,
                result=f"Nothing was sent. {result}",
                cause=cause,
                step=_check(entry.pk) if can_check else None,
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


@dataclass(frozen=True, slots=True)
class Strip:
    """A person's writes at one place that are being checked: `here` is the address to refresh from, `all` that of their page."""

    rows: tuple[Row, ...]
    here: str
    all: str


def confirmation_of(lost: InterfaceError, entry_id: int, until: datetime) -> Unconfirmed:
    """Return the error for a write that is now being checked."""
    problem = replace(
        problem_of(lost),
        title="The outcome is unknown",
        cause=f"It may have been done or not. Pilothouse checks until {clock(until)} and then says which.",
        step=_check(entry_id),
        retry_at=None,
        tone="attention",
        icon="circle-question-mark",
    )
    return Unconfirmed(lost, problem)


def unsettled_of(request: HttpRequest) -> Strip | None:
    """Return what is being checked at the page's project or space, for the frame."""
    match = request.resolver_match
    if match is None or not request.user.is_authenticated:
        return None
    return strip_of(request.user.pk, match.kwargs.get("ref") or match.kwargs.get("space") or "")


def strip_of(person_id: int, place: str) -> Strip:
    entries = [entry for entry in Entry.objects.being_checked(place) if entry.person_id == person_id][:MOST]
    asked = {"place": place} | ({"seen": ",".join(str(entry.pk) for entry in entries)} if entries else {})
    return Strip(
        tuple(_row(entry) for entry in entries),
        here=f"{reverse('jobs:unsettled')}?{urlencode(asked)}",
        all=reverse("jobs:doubts", query={"place": place}),
    )


def outcome_of(entry: Entry) -> str:
    """Describe the outcome of an entry in a sentence."""
    what = WORDS.get(entry.operation, entry.operation)
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


def tell(entry_id: int) -> None:
    """Notify the person who sent a write how its doubt ended. Once."""
    entry = Entry.objects.select_related("person").get(pk=entry_id)
    address = reverse("journal:show", args=[entry.pk])
    outbox.notify(ENDED, [entry.person], title=outcome_of(entry), address=address, key=str(entry.pk), place=entry.place)


def _row(entry: Entry) -> Row:
    return Row(
        what=words(entry.operation),
        target=entry.target,
        at=entry.started_at,
        answer=entry.answer,
        until=clock(entry.check_until),
        href=check_url(entry),
    )


def check_url(entry: Entry) -> str:
    """Return the address where a person checks the outcome now."""
    return reverse("jobs:outcome", args=[entry.pk])


def _check(entry_id: int) -> Step:
    return Step("Check now", reverse("jobs:outcome", args=[entry_id]))
