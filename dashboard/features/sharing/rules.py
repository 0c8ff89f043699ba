"""Reasons for which a share link does not open, in addition to those in `links.end_states`."""

from dashboard.links import end_states
from dashboard.links.end_states import ASK, RENEW, EndState, LinkClosed
from dashboard.links.models import Share

LIMIT_REACHED = EndState(410, "Download limit reached", "This link allowed a limited number of downloads.", ASK, "circle-slash")
VIEW_LIMIT_REACHED = EndState(410, "View limit reached", "This link allowed a limited number of views.", ASK, "circle-slash")
FILE_MISSING = EndState(404, "File missing", "What this link leads to was deleted or moved.", ASK, "file-x")
INSTRUCTIONS_MISSING = EndState(404, "Instructions missing", "This hostname is no longer being set up.", ASK, "file-x")
HIDDEN = EndState(
    503, "Temporarily unavailable", "The person who shared it can't access the file at the moment.", RENEW, "key-round"
)


def status_down(retry_after: int | None = None) -> EndState:
    """Return the state shown when DNS records can't be read."""
    return EndState(
        503,
        "Status unavailable",
        "The link is fine, but the service isn't working at the moment.",
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
    """Raise `LinkClosed` unless the link's record allows opening it. A ticket stays valid after the limit is reached."""
    end_states.require_open(share, full=None if has_ticket else limit_reached(share))
