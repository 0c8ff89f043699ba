"""Reasons for which a share link does not open, in addition to those in `links.end_states`."""

from dashboard.links.end_states import EndState, LinkClosed, expired
from dashboard.links.models import Share
from dashboard.links.states import State
from dashboard.team.rights import allows

ASK = "Ask the person who shared it for a new link."
RENEW = "Tell the person who shared it. The link works again once they renew their access."

REVOKED = EndState(410, "Link revoked", "The person who shared it revoked this link.", ASK, "link-2-off")
LIMIT_REACHED = EndState(410, "Download limit reached", "This link allowed a limited number of downloads.", ASK, "circle-slash")
VIEW_LIMIT_REACHED = EndState(410, "View limit reached", "This link allowed a limited number of views.", ASK, "circle-slash")
FILE_MISSING = EndState(404, "File missing", "The file was deleted or moved.", ASK, "file-x")
INSTRUCTIONS_MISSING = EndState(404, "Instructions missing", "This hostname is no longer being set up.", ASK, "file-x")
OWNER_LEFT = EndState(
    410,
    "Link no longer works",
    "The person who shared it has left the team.",
    "Ask someone else on the team.",
    "user-x",
)
ACCESS_ENDED = EndState(410, "Link no longer works", "The access it was made with has ended or is paused.", ASK, "key-round")
ROLE_CHANGED = EndState(410, "Link no longer works", "The person who shared it may no longer share.", ASK, "user-x")
NO_ACCESS = EndState(
    503, "Temporarily unavailable", "The service no longer accepts the access of the person who shared it.", RENEW, "key-round"
)
HIDDEN = EndState(
    503, "Temporarily unavailable", "The person who shared it can't access the file at the moment.", RENEW, "key-round"
)
LOCKED = EndState(
    410, "Temporarily unavailable", "The person who shared it must confirm their access first.", RENEW, "lock-keyhole"
)


def status_down(retry_after: int | None = None) -> EndState:
    """Return the state shown when DNS records can't be read."""
    return EndState(
        503,
        "Status unavailable",
        "The link is fine, but the service does not answer.",
        "Try again in a few minutes.",
        "cloud-off",
        retry_after or 60,
    )


def limit_reached(share: Share) -> EndState:
    """Return the state of a link whose limit is reached. It counts downloads and views; without a download button only views."""
    return VIEW_LIMIT_REACHED if share.hides_download else LIMIT_REACHED


def require_objects(share: Share) -> None:
    """Raise `LinkClosed` for a link to a page, as it has nothing to download."""
    if share.kind != Share.Kind.OBJECTS:
        raise LinkClosed(FILE_MISSING)


def require_open(share: Share, *, has_ticket: bool = False) -> None:
    """Raise `LinkClosed` unless the link's record allows opening it. A ticket stays valid after the limit is reached.

    A file that was missing or unreadable is checked again.
    """
    match share.state_but(State.USED_UP) if has_ticket else share.state:
        case State.ENDED:
            raise LinkClosed(REVOKED)
        case State.EXPIRED:
            raise LinkClosed(expired(share.ends_at, ASK))
        case State.USED_UP:
            raise LinkClosed(limit_reached(share))
        case State.OWNER_LEFT:
            raise LinkClosed(OWNER_LEFT)
        case State.LOCKED:
            raise LinkClosed(LOCKED)
        case State.HIDDEN if not allows(share.owner.role, share.RIGHT):
            raise LinkClosed(ROLE_CHANGED)
        case State.HIDDEN if share.is_cut_off:
            raise LinkClosed(ACCESS_ENDED)
