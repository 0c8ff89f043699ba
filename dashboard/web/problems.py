"""A failure in a person's words: what we tried, how it ended, what the service said, why, and what to do next."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.interfaces.operations import OPERATIONS
from dashboard.web.cards import AGAIN, CHECK, Problem, Step
from dashboard.web.operations import usual_cause, words

PAUSED = 540

Mapping = Callable[[errors.InterfaceError], Problem]


def problem_of(error: errors.InterfaceError) -> Problem:
    """The problem without its technical part's request facts; the middleware adds those."""
    for kind, describe in KINDS.items():
        if isinstance(error, kind):
            found = describe(error)
            break
    else:
        found = _unexpected(error)
    effect = effect_of(error)
    step = CHECK if effect is errors.Effect.UNKNOWN else found.step
    return replace(
        found,
        step=step,
        tried=f"We tried to {words(error.operation)}.",
        words=error.text or "",
        cause=usual_cause(error.operation, type(error).__name__) or found.cause,
        technical=_technical(error),
        kind=type(error).__name__,
        effect=effect,
        retry_at=_after(error.retry_after) if step is AGAIN else None,
    )


def effect_of(error: errors.InterfaceError) -> errors.Effect:
    """What became of the write that failed so; a read that fails leaves everything as it was."""
    return errors.Effect.NOT_SENT if OPERATIONS[error.operation].reads else error.effect


def _after(seconds: float | None) -> datetime | None:
    return None if seconds is None else timezone.now() + timedelta(seconds=max(1.0, seconds))


def said(error: errors.InterfaceError) -> str:
    """What happened, with the service's words quoted."""
    found = problem_of(error)
    return f"{found.result} It said: “{found.words}”." if found.words else found.result


def sentence(error: errors.InterfaceError) -> str:
    """The refusal as one message on a form: what happened, and when the next try is possible."""
    at = problem_of(error).retry_at
    return f"{said(error)} Try again at {at.astimezone(UTC):%H:%M:%S} UTC." if at else said(error)


def _service(error: errors.InterfaceError) -> str:
    return "management service" if error.service == "management" else "storage service"


def _unreachable(error: errors.InterfaceError) -> Problem:
    result = f"Could not reach the {_service(error)}; nothing was sent."
    cause = "It may be down, or the address in the configuration or the network between is wrong."
    return Problem(502, "The service can't be reached", result=result, cause=cause, step=AGAIN, icon="unplug")


def _crowded(error: errors.InterfaceError) -> Problem:
    result = f"Other requests already wait for the {_service(error)}, so this one was not sent."
    cause = "It may be busy. Only so many requests wait for one project, so that everything else stays quick."
    return Problem(
        503, "The service is slow to answer", result=result, cause=cause, step=AGAIN, tone="attention", icon="hourglass"
    )


def _timed_out(error: errors.InterfaceError) -> Problem:
    result = f"The {_service(error)} gave no answer in time."
    cause = "It may be busy. Reading again is harmless."
    return Problem(504, "The service did not answer in time", result=result, cause=cause, step=AGAIN, icon="timer-off")


def _unknown(error: errors.InterfaceError) -> Problem:
    return Problem(
        504,
        "The outcome is unknown",
        result=f"The request reached the {_service(error)}, but no answer came back: nothing was confirmed.",
        cause="It may have been done or not. Check the current state before you repeat it.",
        tone="attention",
        icon="circle-question-mark",
    )


def _token_refused(error: errors.InterfaceError) -> Problem:
    kind = "management" if error.service == "management" else "storage"
    return Problem(
        403,
        f"Your {kind} token was refused",
        result=f"Refused by the {_service(error)}: it does not accept the {kind} token stored for you.",
        cause="The token may have been revoked, may have expired, or belongs to another service.",
        icon="key-round",
    )


def _not_allowed(error: errors.InterfaceError) -> Problem:
    return Problem(
        403,
        "Your token may not do this",
        result=f"Refused by the {_service(error)}: your token is accepted, but not for this.",
        cause="The token's role or a policy of the service does not allow it. A stronger token, or the project's owner, can.",
        icon="shield-alert",
    )


def _not_found(error: errors.InterfaceError) -> Problem:
    return Problem(
        404,
        "Gone, or not visible to your token",
        result=f"The {_service(error)} knows no such thing.",
        cause="It may have been deleted meanwhile, or your token does not reach it.",
        step=Step("Go up", ".."),
        tone="attention",
        icon="search-x",
    )


def _conflict(error: errors.InterfaceError) -> Problem:
    return Problem(
        409,
        "Something is in the way",
        result=f"Refused by the {_service(error)}: it exists already, or is still in use.",
        cause="Choose another name, or remove what is in the way first.",
        tone="attention",
        icon="circle-alert",
    )


def _rejected(error: errors.InterfaceError) -> Problem:
    return Problem(
        400,
        "The service does not accept this",
        result=f"Refused by the {_service(error)}: it does not accept what was sent.",
        cause="Its own words say what to change.",
    )


def _too_large(error: errors.InterfaceError) -> Problem:
    return Problem(
        415 if error.status == 415 else 413,
        "Size or type is not accepted",
        result=f"Refused by the {_service(error)}: the size or the type is outside its limits.",
        cause="The bucket's own limits apply first, then those of the service.",
        icon="file-x",
    )


def _slow_down(error: errors.InterfaceError) -> Problem:
    return Problem(
        429,
        "Too many requests for now",
        result=f"The {_service(error)} asks to slow down.",
        cause="Its limit counts all requests made with your token, also those of other programs.",
        step=AGAIN,
        tone="attention",
        icon="hourglass",
    )


def _broken(error: errors.InterfaceError) -> Problem:
    if error.status == PAUSED:
        result, cause = "Its database is not running.", "Somebody can restore it in the service's own dashboard."
        return Problem(409, "The project is paused", result=result, cause=cause, tone="attention", icon="circle-pause")
    outcome = "it may have been done or not" if effect_of(error) is errors.Effect.UNKNOWN else "nothing was changed"
    return Problem(
        502,
        "The service failed",
        result=f"The {_service(error)} failed on its side; {outcome}.",
        cause="Usually temporary. If not, check the service's status page.",
        step=AGAIN,
        icon="server-crash",
    )


def _unexpected(error: errors.InterfaceError) -> Problem:
    return Problem(
        502,
        "The answer could not be read",
        result=f"The {_service(error)} answered with something that its documentation does not describe.",
        cause="The configured address may belong to something else, or the service has changed.",
        step=AGAIN,
        icon="file-question-mark",
    )


KINDS: dict[type[errors.InterfaceError], Mapping] = {
    errors.Crowded: _crowded,
    errors.Unreachable: _unreachable,
    errors.TimedOut: _timed_out,
    errors.UnknownOutcome: _unknown,
    errors.TokenRefused: _token_refused,
    errors.NotAllowed: _not_allowed,
    errors.NotFound: _not_found,
    errors.Conflict: _conflict,
    errors.Rejected: _rejected,
    errors.TooLarge: _too_large,
    errors.SlowDown: _slow_down,
    errors.Broken: _broken,
    errors.Unexpected: _unexpected,
}


def _technical(error: errors.InterfaceError) -> tuple[tuple[str, str], ...]:
    facts = [("Operation", f"{error.operation} · {error.service}"), ("Result", type(error).__name__)]
    if error.status is not None:
        facts.append(("Status", str(error.status)))
    if error.duration_ms is not None:
        facts.append(("Duration", f"{error.duration_ms:,.0f} ms"))
    return tuple(facts)
