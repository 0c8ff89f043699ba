"""Why a link does not open, and what its page says, for all kinds of links."""

from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.links.models import CodedLink
from dashboard.links.states import State
from dashboard.team.rights import allows
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


ASK = "Ask the person who sent you the link for a new one."
RENEW = "Tell the person who sent you the link. It works again once they renew their access."
REVOKED = EndState(410, "Link revoked", "The team has revoked this link.", ASK, "link-2-off")
OWNER_LEFT = EndState(410, "Link no longer works", "The person who made it has left the team.", ASK, "user-x")
ROLE_CHANGED = EndState(410, "Link no longer works", "The person who made it may no longer make such links.", ASK, "user-x")
CUT_OFF = EndState(410, "Link no longer works", "The access it was made with is no longer used, or is paused.", ASK, "key-round")
LOCKED = EndState(
    410, "Temporarily unavailable", "The person who made this link must confirm their access first.", RENEW, "lock-keyhole"
)
NO_ACCESS = EndState(
    503,
    "Temporarily unavailable",
    "The service no longer accepts the access of the person who made this link.",
    RENEW,
    "key-round",
)
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
        "Storage unavailable",
        "The link is fine, but the storage service isn't working at the moment.",
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


def require_open(link: CodedLink, *, full: EndState | None) -> None:
    """Raise `LinkClosed` unless the link's record allows opening it. `full`: its end if its limit is reached; None opens it.

    What was missing or unreadable is checked again.
    """
    match link.state_but(*(() if full else (State.USED_UP,))):
        case State.ENDED:
            raise LinkClosed(REVOKED)
        case State.EXPIRED:
            raise LinkClosed(expired(link.ends_at))
        case State.USED_UP if full:
            raise LinkClosed(full)
        case State.OWNER_LEFT:
            raise LinkClosed(OWNER_LEFT)
        case State.LOCKED:
            raise LinkClosed(LOCKED)
        case State.HIDDEN if not allows(link.owner.role, link.RIGHT):
            raise LinkClosed(ROLE_CHANGED)
        case State.HIDDEN if link.is_cut_off:
            raise LinkClosed(CUT_OFF)


def expired(ends_at: datetime) -> EndState:
    when = f"{ends_at.astimezone(UTC):%-d %B %Y at %H:%M} UTC"
    return EndState(410, "Link expired", f"It expired {relative(ends_at)}, on {when}.", ASK, "clock")
