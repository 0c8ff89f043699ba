"""The faces of a link that does not open, each with one sentence of what happened and one of what to do."""

from dataclasses import dataclass

from dashboard.links.models import Share, State
from dashboard.web.text import exact


@dataclass(frozen=True, slots=True)
class Face:
    """What is said instead of the file. `retry_after` in seconds where trying again helps."""

    status: int
    title: str
    text: str
    hint: str
    icon: str
    retry_after: int | None = None


class Dead(Exception):  # noqa: N818 - a state of the link
    """The link does not open, and this is its face."""

    def __init__(self, face: Face) -> None:
        super().__init__(face.title)
        self.face = face


ASK = "Ask the person who sent it to you for a new one."

# Also what everybody gets who guesses: a code that is not exactly right tells nothing of links that are, were or never will be.
UNKNOWN = Face(
    404,
    "This link leads nowhere",
    "There is no link with this address.",
    "It may have been cut when it was copied: open it from the message again, or ask for it once more.",
    "search-x",
)
ENDED = Face(410, "This link was ended", "The person who shared it has ended it.", ASK, "link-2-off")
USED_UP = Face(
    410, "This link is used up", "It was good for a limited number of downloads, and all of them were taken.", ASK, "circle-slash"
)
GONE = Face(
    404,
    "The file is gone",
    "The link still works, but what it leads to was deleted or moved.",
    "Ask the person who shared it.",
    "file-x",
)
NO_PAGE = Face(
    404,
    "The instructions are gone",
    "The link still works, but what it told about is not set up any more.",
    "Ask the person who shared it.",
    "file-x",
)
OWNER_LEFT = Face(
    410,
    "This link no longer works",
    "The person who shared it is no longer part of the team.",
    "Ask somebody else there for it.",
    "user-x",
)
NO_RIGHT = Face(
    503,
    "This link is temporarily unavailable",
    "The access of the person who shared it is no longer accepted by the service.",
    "Tell the person who shared it. The link works again once their access is renewed.",
    "key-round",
)
HIDDEN = Face(
    503,
    "This link is temporarily unavailable",
    "The person who shared it has no access to the file at the moment.",
    "Tell the person who shared it. The link works again once their access is renewed.",
    "key-round",
)
LOCKED = Face(
    410,
    "This link does not work at present",
    "The person who shared it has to confirm their access first.",
    "Tell the person who sent it to you: it works again once they have done so.",
    "lock-keyhole",
)
STALE = Face(
    403,
    "Open the link once more",
    "The form was out of date, and nothing was checked.",
    "Open the link again and type the password.",
    "rotate-cw",
)


def down(retry_after: int | None = None) -> Face:
    return Face(
        503,
        "The storage can't be reached",
        "The link is good, but the service that keeps the file does not answer at the moment.",
        "Try again in a few minutes.",
        "cloud-off",
        retry_after or 60,
    )


def page_down(retry_after: int | None = None) -> Face:
    return Face(
        503,
        "The state can't be read at the moment",
        "The link is good, but the service that knows what is wanted does not answer.",
        "Try again in a few minutes.",
        "cloud-off",
        retry_after or 60,
    )


def busy() -> Face:
    return Face(
        503, "Too many downloads at once", "All places for downloads are taken.", "Try again in a few seconds.", "hourglass", 5
    )


def too_many(seconds: int) -> Face:
    minutes = max(1, round(seconds / 60))
    return Face(
        429,
        "Too many wrong tries",
        "For a while nothing more is looked at, right or wrong.",
        f"Try again in {minutes} minute{'' if minutes == 1 else 's'}.",
        "hourglass",
        seconds,
    )


def expired(share: Share) -> Face:
    return Face(410, "This link has expired", f"It worked until {exact(share.ends_at)}.", ASK, "clock")


def require_objects(share: Share) -> None:
    """Raise `Dead` for a link that leads to a page, and so to nothing that could be downloaded."""
    if share.kind != Share.Kind.OBJECTS:
        raise Dead(GONE)


def require_open(share: Share, *, has_ticket: bool = False) -> None:
    """Raise `Dead` unless the record says that the link opens. Whoever has a ticket took a download while there was one."""
    state = share.state
    if state == State.ENDED:
        raise Dead(ENDED)
    if state == State.EXPIRED:
        raise Dead(expired(share))
    if not share.owner.is_active:
        raise Dead(OWNER_LEFT)
    if state == State.USED_UP and not has_ticket:
        raise Dead(USED_UP)
