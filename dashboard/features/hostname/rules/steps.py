"""The five steps of a custom hostname, and what a state means."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Check, Known
from dashboard.interfaces.management.hostname import HostnameStatus

# After this time in one step it counts as stuck.
STUCK_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Meaning:
    """`word` is our name for the status, `passed` its name once completed, `next_` the next step, `act` its verb."""

    status: HostnameStatus
    word: str
    passed: str
    next_: str
    act: str


MEANINGS = (
    Meaning(
        HostnameStatus.NOT_STARTED,
        "Not set up",
        "Set up",
        "Add a CNAME for a name below your domain, then set it up here.",
        "Set up a hostname",
    ),
    Meaning(
        HostnameStatus.INITIATED,
        "DNS records needed",
        "Ownership proven",
        "Add the DNS records below. The service verifies ownership first, then the certificate.",
        "Verify",
    ),
    Meaning(
        HostnameStatus.CHALLENGE_VERIFIED,
        "Ownership verified",
        "Certificate in place",
        "The service deploys the certificate, which can take half an hour. Keep the CNAME.",
        "Verify",
    ),
    Meaning(
        HostnameStatus.ORIGIN_SETUP_COMPLETED,
        "Ready to activate",
        "Activated",
        "Activate it when you're ready: sign-in then redirects to the new name.",
        "Activate",
    ),
    Meaning(
        HostnameStatus.SERVICES_RECONFIGURED,
        "Active",
        "Active",
        "Keep the CNAME while you use the hostname: it renews the certificate.",
        "",
    ),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One of the five steps. `state`: done, here or ahead. `seen_at`: when it was first seen, None for never."""

    number: int
    word: str
    raw: str
    state: str
    text: str
    seen_at: datetime | None


def step_of(status: str) -> int | None:
    """Return 1 to 5 for the documented statuses, None for any other, which is shown as it is."""
    return next((number for number, meaning in enumerate(MEANINGS, 1) if meaning.status.value == status), None)


def word_of(status: str) -> str:
    step = step_of(status)
    return MEANINGS[step - 1].word if step else status


def next_of(known: Known, check: Check) -> str:
    """Return the one next step in a few words, empty where there is none."""
    step = step_of(known.status)
    if check.broken_record or known.troubles:
        return "Fix DNS" if check.broken_record else "Fix, then verify"
    if broken_word(known.status, check):
        return "Check certificate"
    return MEANINGS[step - 1].act if step else ""


def is_active(status: str) -> bool:
    return step_of(status) == len(MEANINGS)


def broken_word(status: str, check: Check) -> str:
    """Return what is broken although the hostname is active ("DNS broken"); empty for nothing."""
    if not is_active(status):
        return ""
    return "DNS broken" if check.broken_record else "certificate invalid" if check.is_invalid else ""


def is_pending(known: Known) -> bool:
    """Whether the service still has to verify something."""
    return step_of(known.status) in (2, 3)


def list_steps(status: str, seen: Mapping[str, datetime]) -> tuple[Step, ...]:
    """Return the five steps; with an unknown status none of them is current."""
    here = step_of(status)
    return tuple(
        Step(
            number=number,
            word=meaning.passed if here and number < here else meaning.word,
            raw=meaning.status.value,
            state=_state(number, here),
            text=meaning.next_ if number == here else "",
            seen_at=seen.get(meaning.status.value) if here is None or number <= here else None,
        )
        for number, meaning in enumerate(MEANINGS, 1)
    )


def group_of(status: str, check: Check, since: datetime | None, *, is_blocked: bool) -> str:
    """Return a project's group in the list: stuck, broken, yours, waiting, odd, active or none."""
    step = step_of(status)
    if step == 1:
        return "none"
    if is_blocked or (step in (2, 3) and since and timezone.now() - since > STUCK_AFTER):
        return "stuck"
    if broken_word(status, check):
        return "broken"
    return {2: "waiting", 3: "waiting", 4: "yours", 5: "active"}.get(step or 0, "odd")


def _state(number: int, here: int | None) -> str:
    if here is None:
        return "ahead"
    return "done" if number < here else "here" if number == here else "ahead"
