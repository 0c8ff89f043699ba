"""Why a share link does not open, and what its page says then."""

from dataclasses import dataclass

from dashboard.links.models import Share, State
from dashboard.web.text import exact


@dataclass(frozen=True, slots=True)
class EndState:
    """The page of a link that does not open. `retry_after` (seconds) where trying again may help."""

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


ASK = "Ask the person who shared it for a new link."
RENEW = "Tell the person who shared it. The link works again once they renew their access."

# Every wrong code gets this answer, so guessing reveals nothing.
UNKNOWN = EndState(
    404,
    "Link not found",
    "No link has this address.",
    "Check that you copied the whole address.",
    "search-x",
)
REVOKED = EndState(410, "Link revoked", "The person who shared it revoked this link.", ASK, "link-2-off")
LIMIT_REACHED = EndState(410, "Download limit reached", "This link allowed a limited number of downloads.", ASK, "circle-slash")
FILE_MISSING = EndState(404, "File missing", "The file was deleted or moved. The link itself still works.", ASK, "file-x")
INSTRUCTIONS_MISSING = EndState(404, "Instructions missing", "This hostname is no longer being set up.", ASK, "file-x")
OWNER_LEFT = EndState(
    410,
    "Link no longer works",
    "The person who shared it has left the team.",
    "Ask someone else on the team.",
    "user-x",
)
NO_ACCESS = EndState(
    503, "Temporarily unavailable", "The service no longer accepts the access of the person who shared it.", RENEW, "key-round"
)
HIDDEN = EndState(
    503, "Temporarily unavailable", "The person who shared it can't access the file at the moment.", RENEW, "key-round"
)
LOCKED = EndState(
    410, "Temporarily unavailable", "The person who shared it must confirm their access first.", RENEW, "lock-keyhole"
)
STALE_FORM = EndState(
    403, "Form expired", "The password was not checked.", "Open the link again and enter the password.", "rotate-cw"
)
BUSY = EndState(
    503, "Too many downloads at once", "All download slots are in use.", "Try again in a few seconds.", "hourglass", 5
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


def status_down(retry_after: int | None = None) -> EndState:
    """A page of DNS records whose state can't be read."""
    return EndState(
        503,
        "Status unavailable",
        "The link is fine, but the service does not answer.",
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
        f"Try again in {minutes} minute{'' if minutes == 1 else 's'}.",
        "hourglass",
        seconds,
    )


def expired(share: Share) -> EndState:
    return EndState(410, "Link expired", f"It expired on {exact(share.ends_at)}.", ASK, "clock")


def require_objects(share: Share) -> None:
    """Raise `LinkClosed` for a link to a page, which has nothing to download."""
    if share.kind != Share.Kind.OBJECTS:
        raise LinkClosed(FILE_MISSING)


def require_open(share: Share, *, has_ticket: bool = False) -> None:
    """Raise `LinkClosed` unless the link's record says that it opens. A ticket stays good after the limit is reached."""
    match share.state:
        case State.ENDED:
            raise LinkClosed(REVOKED)
        case State.EXPIRED:
            raise LinkClosed(expired(share))
        case state:
            if not share.owner.is_active:
                raise LinkClosed(OWNER_LEFT)
            if state == State.USED_UP and not has_ticket:
                raise LinkClosed(LIMIT_REACHED)
