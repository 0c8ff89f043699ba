"""The five steps of a custom hostname, and the meaning of each state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Check, Known
from dashboard.interfaces.management.hostname import HostnameStatus

# A hostname counts as stuck after this time in one step.
STUCK_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Meaning:
    """Our words for a status: its name, its step (`task`), that step once completed (`passed`), and the next verb (`act`)."""

    status: HostnameStatus
    word: str
    task: str
    passed: str
    act: str


MEANINGS = (
    Meaning(HostnameStatus.NOT_STARTED, "Not set up", "Set up", "Set up", "Set up hostname"),
    Meaning(HostnameStatus.INITIATED, "Waiting for DNS", "Verify ownership", "Ownership verified", "Verify"),
    Meaning(HostnameStatus.CHALLENGE_VERIFIED, "Waiting for certificate", "Certificate", "Certificate in place", "Verify"),
    Meaning(HostnameStatus.ORIGIN_SETUP_COMPLETED, "Ready to activate", "Activate", "Activated", "Activate hostname"),
    Meaning(HostnameStatus.SERVICES_RECONFIGURED, "Active", "Active", "Active", ""),
)

TONES = {"stuck": "danger", "broken": "danger", "odd": "neutral", "yours": "attention", "waiting": "waiting", "active": "good"}


@dataclass(frozen=True, slots=True)
class Standing:
    """A hostname's state as every list and page shows it. `group`: stuck, broken, odd, yours, waiting, active or none."""

    group: str
    word: str

    @property
    def tone(self) -> str:
        return TONES.get(self.group, "neutral")


@dataclass(frozen=True, slots=True)
class Step:
    """One of the five steps. `state`: done, here or ahead. `seen_at`: when it was first seen, None if never."""

    number: int
    word: str
    state: str
    seen_at: datetime | None


def step_of(status: str) -> int | None:
    """Return 1 to 5 for the documented statuses; None for any other."""
    return next((number for number, meaning in enumerate(MEANINGS, 1) if meaning.status.value == status), None)


def word_of(status: str) -> str:
    step = step_of(status)
    return MEANINGS[step - 1].word if step else status


def next_of(status: str, check: Check, *, is_blocked: bool) -> str:
    """Return the next step in a few words; empty if there is none."""
    step = step_of(status)
    if check.broken_record or is_blocked:
        return "Fix DNS" if check.broken_record else "Fix hostname"
    if broken_word(status, check):
        return "Check certificate"
    return MEANINGS[step - 1].act if step else ""


def is_active(status: str) -> bool:
    return step_of(status) == len(MEANINGS)


def broken_word(status: str, check: Check) -> str:
    """Return what is broken although the hostname is active ("DNS broken"); empty if nothing is."""
    if not is_active(status):
        return ""
    return "DNS broken" if check.broken_record else "Certificate invalid" if check.is_invalid else ""


def is_pending(known: Known) -> bool:
    """Whether the service still has to verify something."""
    return step_of(known.status) in (2, 3)


def list_steps(status: str, seen: Mapping[str, datetime]) -> tuple[Step, ...]:
    """Return the five steps. With an unknown status none of them is current.

    A hostname was set up when its first state was seen: before that, an earlier one or none at all was.
    """
    here = step_of(status)
    began = {**seen, HostnameStatus.NOT_STARTED.value: seen.get(HostnameStatus.INITIATED.value)}
    return tuple(
        Step(
            number=number,
            word=meaning.passed if here and number < here else meaning.task,
            state=_state(number, here),
            seen_at=began.get(meaning.status.value) if here is None or number <= here else None,
        )
        for number, meaning in enumerate(MEANINGS, 1)
    )


def standing_of(status: str, check: Check, since: datetime | None, *, is_blocked: bool) -> Standing:
    """Return a hostname's state. `since`: when the status began; `is_blocked`: the service reports a problem."""
    step = step_of(status)
    if step == 1:
        return Standing("none", word_of(status))
    if is_blocked or (step in (2, 3) and since and timezone.now() - since > STUCK_AFTER):
        return Standing("stuck", "Stuck")
    if broken := broken_word(status, check):
        return Standing("broken", broken)
    return Standing({2: "waiting", 3: "waiting", 4: "yours", 5: "active"}.get(step or 0, "odd"), word_of(status))


def _state(number: int, here: int | None) -> str:
    if here is None:
        return "ahead"
    return "done" if number < here else "here" if number == here else "ahead"
