"""Sample data for the pattern pages."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.web.failures import local_problems
from dashboard.web.failures.cards import Problem, Step
from dashboard.web.failures.problems import problem_of
from dashboard.web.text import bytes_text, relative

LONG = "exports/2026/quarterly/a-very-long-folder-name-that-does-not-fit/accounts-receivable-with-a-long-title-final-2.parquet"
NAMES = ("invoice-0917.pdf", "logo.png", LONG, "readme.txt", "東京タワー.jpg", "backup.tar.zst")


@dataclass(frozen=True, slots=True)
class Row:
    """A sample row."""

    number: int
    name: str
    kind: str
    size: str
    changed: str
    tone: str
    word: str
    raw: str


STATES = (
    ("good", "Active", "ACTIVE_HEALTHY"),
    ("waiting", "Coming up", "COMING_UP"),
    ("neutral", "Paused", "INACTIVE"),
    ("danger", "Failed", "INIT_FAILED"),
    ("neutral", "FROZEN_SOLID", ""),
)


def rows(query: str = "", *, descending: bool = False) -> list[Row]:
    found = [
        Row(
            number=number,
            name=name,
            kind=name.rpartition(".")[2].upper(),
            size=bytes_text(917 * 37 ** (number % 5)),
            changed=relative(timezone.now() - timedelta(minutes=7 ** (number % 6))),
            tone=STATES[number % 5][0],
            word=STATES[number % 5][1],
            raw=STATES[number % 5][2],
        )
        for number, name in enumerate(NAMES)
        if query.casefold() in name.casefold()
    ]
    return sorted(found, key=lambda row: row.name, reverse=descending)


KINDS: dict[str, type[errors.InterfaceError]] = {
    "unreachable": errors.Unreachable,
    "crowded": errors.Crowded,
    "timed-out": errors.TimedOut,
    "unknown-outcome": errors.UnknownOutcome,
    "token-refused": errors.TokenRefused,
    "not-allowed": errors.NotAllowed,
    "not-found": errors.NotFound,
    "conflict": errors.Conflict,
    "rejected": errors.Rejected,
    "too-large": errors.TooLarge,
    "slow-down": errors.SlowDown,
    "broken": errors.Broken,
    "unexpected": errors.Unexpected,
}

SAID = {
    "conflict": "The resource already exists",
    "rejected": "Bucket name invalid",
    "not-allowed": "new row violates row-level security policy",
    "too-large": "The object exceeded the maximum allowed size",
}


def failure(kind: str) -> errors.InterfaceError:
    """Return a failure as the transport raises it."""
    return KINDS[kind](operation="S1", service="storage", status=409, text=SAID.get(kind, ""), duration_ms=48.0, retry_after=30.0)


def problems() -> list[Problem]:
    step = Step("Add the storage token", "#problems")
    return [
        *(problem_of(failure(kind)) for kind in KINDS),
        local_problems.needs_token("storage", "billing", step, reading=True),
        local_problems.busy(),
    ]
