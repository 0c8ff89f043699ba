"""Share links to a page instead of objects. A feature registers the page; the link opens like any other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail to send the link with."""

    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPage:
    """A page that links can lead to.

    `find` names the subject of a new link at a place; "" if there is none. `read` returns the template's context, read with the
    owner's token, or None if the subject is gone. Both may raise interface errors. `mail` calls no service.
    """

    template: str
    find: Callable[[Workspace, str], str]
    read: Callable[[Workspace, Share], Mapping[str, object] | None]
    mail: Callable[[Workspace, Share, str], Mail]


_registered: dict[str, SharedPage] = {}


def register(kind: str, shared: SharedPage) -> None:
    _registered[kind] = shared


def page_of(kind: str) -> SharedPage | None:
    """Return the registered page. None for links to objects."""
    return _registered.get(kind)
