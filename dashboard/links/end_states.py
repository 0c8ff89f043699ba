"""Why a link does not open, and what its page says, for all kinds of links."""

from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.web.text import counted, relative


@dataclass(frozen=True, slots=True)
class EndState:
    """The page of a link that does not open. `retry_after` (seconds) is set if trying again may help."""

    status: int
    title: str
    text: str
    hint: str
    icon: str
    retry_after: int | None = None


class LinkClosed(Exception):  # noqa: N818 - a state of the link
    """The link does not open; `state` is what the visitor sees."""

    def __init__(self, state: EndState) -> None:
        super().__init__(state.title)
        self.state = state


# Every wrong code gets this answer, so guessing reveals nothing.
UNKNOWN = EndState(
    404,
    "Link not found",
    "No link has this address.",
    "Check that you copied the whole address.",
    "search-x",
)
STALE_FORM = EndState(403, "Form expired", "Nothing was sent.", "Open the link again and repeat what you did.", "rotate-cw")
BUSY = EndState(
    503, "Too many transfers at once", "All transfer slots are in use.", "Try again in a few seconds.", "hourglass", 5
)


def storage_down(retry_after: int | None = None) -> EndState:
    return EndState(
        503,
        "Storage unreachable",
        "The link is fine, but the storage service does not answer.",
        "Try again in a few minutes.",
        "cloud-off",
        retry_after or 60,
    )


def too_many_attempts(seconds: int) -> EndState:
    minutes = max(1, round(seconds / 60))
    return EndState(
        429,
        "Too many attempts",
        "Further attempts are blocked for a while, right or wrong.",
        f"Try again in {counted(minutes, 'minute')}.",
        "hourglass",
        seconds,
    )


def expired(ends_at: datetime, hint: str) -> EndState:
    when = f"{ends_at.astimezone(UTC):%-d %B %Y at %H:%M} UTC"
    return EndState(410, "Link expired", f"It expired {relative(ends_at)}, on {when}.", hint, "clock")
