"""The five steps of a custom hostname, and what a state means."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Known
from dashboard.interfaces.management.hostname import HostnameStatus

# Longer than this in one step, and somebody should look.
PATIENCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Meaning:
    """`word` is ours for the state, `passed` for having left it behind, `next_` what comes next and by whom."""

    status: HostnameStatus
    word: str
    passed: str
    next_: str


MEANINGS = (
    Meaning(
        HostnameStatus.NOT_STARTED,
        "Not set up",
        "Set up",
        "Choose a name below your domain, publish a CNAME for it, and set it up here.",
    ),
    Meaning(
        HostnameStatus.INITIATED,
        "DNS records needed",
        "Ownership proven",
        "Publish the records below. Then the service looks at them: ownership first, then the certificate.",
    ),
    Meaning(
        HostnameStatus.CHALLENGE_VERIFIED,
        "Ownership verified",
        "Certificate in place",
        "The service brings the certificate to its servers, which can take half an hour. The CNAME must be in place.",
    ),
    Meaning(
        HostnameStatus.ORIGIN_SETUP_COMPLETED,
        "Ready to activate",
        "Activated",
        "Activate it when it suits you: sign-in then sends people back to the new name.",
    ),
    Meaning(
        HostnameStatus.SERVICES_RECONFIGURED,
        "Active",
        "Active",
        "Keep the CNAME for as long as the name is to work; the certificate is renewed through it.",
    ),
)


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of the rail. `state`: done, here or ahead. `seen_at`: when it was first seen, None for never."""

    number: int
    word: str
    raw: str
    state: str
    text: str
    seen_at: datetime | None


def step_of(status: str) -> int | None:
    """1 to 5 for the states of the document, None for any other: it is shown as it came."""
    return next((number for number, meaning in enumerate(MEANINGS, 1) if meaning.status.value == status), None)


def word_of(status: str) -> str:
    step = step_of(status)
    return MEANINGS[step - 1].word if step else status


def is_pending(known: Known) -> bool:
    """Whether the service still has to verify something."""
    return step_of(known.status) in (2, 3)


def rail_of(status: str, seen: Mapping[str, datetime]) -> tuple[Stop, ...]:
    """All five steps. In a state that is not known none of them is where it stands."""
    here = step_of(status)
    return tuple(
        Stop(
            number=number,
            word=meaning.passed if here and number < here else meaning.word,
            raw=meaning.status.value,
            state=_state(number, here),
            text=meaning.next_ if number == here else "",
            seen_at=seen.get(meaning.status.value) if here is None or number <= here else None,
        )
        for number, meaning in enumerate(MEANINGS, 1)
    )


def group_of(known: Known, since: datetime | None) -> str:
    """Where a project stands in the review: stuck, yours, waiting, odd, active or none."""
    step = step_of(known.status)
    if step == 1:
        return "none"
    if known.troubles or (step in (2, 3) and since and timezone.now() - since > PATIENCE):
        return "stuck"
    return {2: "waiting", 3: "waiting", 4: "yours", 5: "active"}.get(step or 0, "odd")


def _state(number: int, here: int | None) -> str:
    if here is None:
        return "ahead"
    return "done" if number < here else "here" if number == here else "ahead"
