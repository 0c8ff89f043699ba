"""Links that lead to a page instead of objects. A feature registers what is on it; it is opened like every other link."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Mail:
    """A letter that goes with the link."""

    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPage:
    """`find` gives the name of what a new link at a place is for, "" where there is none. `read` fills the template with the
    owner's right, or is None where that thing is there no more; both may raise interface errors. `mail` asks nobody.
    """

    template: str
    find: Callable[[Workspace, str], str]
    read: Callable[[Workspace, Share], Mapping[str, object] | None]
    mail: Callable[[Workspace, Share, str], Mail]


_registered: dict[str, SharedPage] = {}


def register(kind: str, shared: SharedPage) -> None:
    _registered[kind] = shared


def page_of(kind: str) -> SharedPage | None:
    """None for links to objects."""
    return _registered.get(kind)
