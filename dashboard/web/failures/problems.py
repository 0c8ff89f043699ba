"""Describe failures of the service: what we tried, the result, the cause, the next step. For ours see `local_problems`."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus

from django.utils import timezone
from django.utils.html import format_html

from dashboard.interfaces import errors
from dashboard.interfaces.operations import OPERATIONS
from dashboard.web.failures.cards import AGAIN, CHECK, Problem, Step
from dashboard.web.failures.operations import usual_cause, words
from dashboard.web.text import countdown

# {kind} is "management" or "storage". The first class that fits an error is used. The error itself says what happened; nothing
# else words a failure, here or elsewhere.
PROBLEMS: dict[type[errors.InterfaceError], Problem] = {
    errors.Crowded: Problem(
        503,
        "The service is slow to answer",
        cause="It may be busy. Pilothouse limits how many requests wait for it, so that other pages stay fast.",
        step=AGAIN,
        tone="attention",
        icon="hourglass",
    ),
    errors.Unreachable: Problem(
        502,
        "The service can't be reached",
        cause="It may be down, or its configured address may be wrong.",
        step=AGAIN,
        icon="unplug",
    ),
    errors.TimedOut: Problem(
        504,
        "The service did not answer in time",
        cause="It may be busy. Reading again is safe.",
        step=AGAIN,
        icon="timer-off",
    ),
    errors.UnknownOutcome: Problem(
        504,
        "The outcome is unknown",
        cause="Check the current state before you try again.",
        tone="attention",
        icon="circle-question-mark",
    ),
    errors.TokenRefused: Problem(
        403,
        "Your {kind} token was refused",
        cause="It may have been revoked, have expired, or belong to another service.",
        icon="key-round",
    ),
    errors.NotAllowed: Problem(
        403,
        "Your token may not do this",
        cause="Its role or a policy forbids it. Use a stronger token, or ask for this right.",
        icon="shield-alert",
    ),
    errors.NotFound: Problem(
        404,
        "Not found",
        cause="It may have been deleted or renamed.",
        step=Step("Go up", ".."),
        tone="attention",
        icon="search-x",
    ),
    errors.Conflict: Problem(
        409,
        "It already exists or is in use",
        cause="Choose another name, or remove what blocks it.",
        tone="attention",
        icon="circle-alert",
    ),
    errors.Rejected: Problem(
        400,
        "The service rejected the request",
        cause="Its message says what to change.",
    ),
    errors.TooLarge: Problem(
        413,
        "Size or type not allowed",
        cause="The bucket's limits apply first, then the service's.",
        icon="file-x",
    ),
    errors.SlowDown: Problem(
        429,
        "Too many requests",
        cause="Its limit counts every request with your token, including those of other programs.",
        step=AGAIN,
        tone="attention",
        icon="hourglass",
    ),
    errors.Paused: Problem(
        409,
        "The project is paused",
        cause="You can restore it in the service's own dashboard.",
        tone="attention",
        icon="circle-pause",
    ),
    errors.Broken: Problem(
        502,
        "The service failed",
        cause="Usually temporary. If not, check the service's status page.",
        step=AGAIN,
        icon="server-crash",
    ),
    errors.Unexpected: Problem(
        502,
        "Unexpected answer",
        cause="The configured address may be wrong, or the service has changed.",
        step=AGAIN,
        icon="file-question-mark",
    ),
}

# "ThrottlerException: " before what the service says.
_CLASS_NAME = re.compile(r"\A[A-Z]\w*(?:Exception|Error): ")

# For pages drawn from last known data until the service answers.
SLOW = Problem(
    200,
    "The service is slow to answer",
    tone="attention",
    icon="hourglass",
    kind="Slow",
)

# What every failed write says about its effect.
EFFECTS = {
    errors.Effect.NOT_SENT: "Nothing was sent.",
    errors.Effect.REFUSED: "Nothing was changed.",
    errors.Effect.UNKNOWN: "The change may have been made.",
}


def problem_of(error: errors.InterfaceError) -> Problem:
    """Describe a failure. The middleware adds the technical facts of the request."""
    found = _described(error)
    effect = effect_of(error)
    step = CHECK if effect is errors.Effect.UNKNOWN else found.step
    kind = "management" if error.service == "management" else "storage"
    result = str(error)
    return replace(
        found,
        title=found.title.format(kind=kind),
        step=step,
        tried=f"We tried to {words(error.operation)}.",
        result=result if OPERATIONS[error.operation].reads else f"{result} {EFFECTS[effect]}",
        words=quoted(error),
        cause=found.cause if _is_ours(error) else usual_cause(error.operation, type(error).__name__) or found.cause,
        technical=_technical(error),
        kind=type(error).__name__,
        effect=effect,
        retry_at=_after(error.retry_after) if step is AGAIN else None,
    )


def effect_of(error: errors.InterfaceError) -> errors.Effect:
    """Return the effect of a failed write. A failed read changes nothing."""
    return errors.Effect.NOT_SENT if OPERATIONS[error.operation].reads else error.effect


def answer_of(status: int | None) -> str:
    """Describe the answer to a write whose outcome is unknown, as a sentence."""
    return f"The service answered {status}." if status else "No answer came back."


def _after(seconds: float | None) -> datetime | None:
    return None if seconds is None else timezone.now() + timedelta(seconds=max(1.0, seconds))


def quoted(error: errors.InterfaceError) -> str:
    """Return the service's words, without the name of a class; "" if they say no more than ours do."""
    text = _CLASS_NAME.sub("", error.text or "")
    phrase = next((one.phrase for one in HTTPStatus if one == error.status), "")
    return "" if isinstance(error, errors.Paused) or text.rstrip(".").casefold() == phrase.casefold() else text


def said(error: errors.InterfaceError) -> str:
    """Return what happened, quoting the service."""
    found = problem_of(error)
    return f"{found.result} It reported: “{found.words}”." if found.words else found.result


def refusal_of(error: errors.InterfaceError) -> str:
    """Return a refusal as one message for a form: what happened, and when to try again, counted down."""
    seconds = problem_of(error).retry_after
    return format_html("{} Try again {}.", said(error), countdown(seconds)) if seconds else said(error)


def sentence(error: errors.InterfaceError) -> str:
    """Return a refusal as text that may be kept: what happened, and when to try again."""
    seconds = problem_of(error).retry_after
    return f"{said(error)} Try again in {seconds} s." if seconds else said(error)


def _described(error: errors.InterfaceError) -> Problem:
    found = next((problem for kind, problem in PROBLEMS.items() if isinstance(error, kind)), PROBLEMS[errors.Unexpected])
    if _is_ours(error):
        return replace(found, title="Not covered by your access", cause="Ask the person who gave you this access.")
    if type(error) is errors.Rejected and OPERATIONS[error.operation].reads:
        return replace(found, cause="Its message says why.")
    return replace(found, status=415) if error.status == 415 and isinstance(error, errors.TooLarge) else found


def _is_ours(error: errors.InterfaceError) -> bool:
    """Whether the guard of a grant refused the call, so that the service was not asked."""
    return error.status is None and isinstance(error, errors.NotFound | errors.NotAllowed)


def _technical(error: errors.InterfaceError) -> tuple[tuple[str, str], ...]:
    facts = [("Operation", f"{error.operation} · {error.service}"), ("Result", type(error).__name__)]
    if error.status is not None:
        facts.append(("Status", str(error.status)))
    if error.duration_ms is not None:
        facts.append(("Duration", f"{error.duration_ms:,.0f} ms"))
    return tuple(facts)
