"""Error cards: their content, and the status and headers of the answer."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import TypeVar

from django.http import HttpResponse
from django.utils import timezone

from dashboard.interfaces.errors import Effect, InterfaceError, UnknownOutcome

R = TypeVar("R", bound=HttpResponse)


@dataclass(frozen=True, slots=True)
class Step:
    """The next step: a label and an address. An empty address repeats the request."""

    label: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """The content of an error card, in its order. `retry_at` is when the service accepts a retry.

    `kind` names the failure for tests and logs. `status` is for JSON and files; pages use `page_status`. `effect` is that of a
    failed write; None if no service was called.
    """

    status: int
    title: str
    tried: str = ""
    result: str = ""
    words: str = ""
    cause: str = ""
    step: Step | None = None
    technical: tuple[tuple[str, str], ...] = ()
    retry_at: datetime | None = None
    tone: str = "danger"
    icon: str = "circle-alert"
    kind: str = ""
    effect: Effect | None = None

    def page_status(self, *, reading: bool) -> int:
        """Return the status of our page, so that proxies and monitors don't count the service's failures as ours."""
        is_missing = self.status == HTTPStatus.NOT_FOUND and (reading or self.effect is Effect.NOT_SENT)
        if self.effect is None or is_missing:
            return self.status
        unprocessed = not reading and self.effect is not Effect.UNKNOWN
        return HTTPStatus.UNPROCESSABLE_ENTITY if unprocessed else HTTPStatus.OK

    @property
    def beyond_title(self) -> str:
        """The result without what the title says already."""
        return self.result.removeprefix(f"{self.title}.").strip()

    @property
    def report(self) -> str:
        """The technical facts as text for the copy button."""
        return "\n".join(f"{name}: {value}" for name, value in self.technical)

    @property
    def retry_after(self) -> int | None:
        """Seconds for the Retry-After header."""
        return None if self.retry_at is None else max(1, round((self.retry_at - timezone.now()).total_seconds()))


class Stopped(Exception):  # noqa: N818 - reads as a sentence
    """Pilothouse stopped before anything was sent. `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.result)
        self.problem = problem


class Unconfirmed(UnknownOutcome):
    """A write without an answer that is being read back. `problem` says until when; the journal `entry` will get the outcome."""

    def __init__(self, lost: InterfaceError, problem: Problem, entry: int) -> None:
        super().__init__(str(lost), **lost.facts)
        self.problem = problem
        self.entry = entry


AGAIN = Step("Try again")
CHECK = Step("Check the current state", ".")


def marked(response: R, problem: Problem) -> R:
    """Add the X-Problem and Retry-After headers."""
    if problem.kind:
        response["X-Problem"] = problem.kind
    if problem.retry_after is not None:
        response["Retry-After"] = str(problem.retry_after)
    return response
