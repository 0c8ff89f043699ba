"""Template context of every page: theme, notices, and values of upper layers.

An upper layer registers a value in its `feature`: `frame.add(name, read)`. It is read only for whole pages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import partial
from typing import Protocol, cast

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.web.http.cookies import cookie_name
from dashboard.web.pages import notices
from dashboard.web.text import zone_named

THEME_COOKIE = "theme"
ZONE_COOKIE = "pilothouse_zone"
THEMES = ("system", "light", "dark")

_added: dict[str, Callable[[HttpRequest], object]] = {}


class Viewer(Protocol):
    """The signed-in person."""

    @property
    def pk(self) -> int: ...
    @property
    def is_owner(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame. `theme` is "system", "light" or "dark"."""

    theme: str
    themes: tuple[str, ...]
    notices: list[notices.Notice]


def add(name: str, read: Callable[[HttpRequest], object]) -> None:
    """Register a value that templates read by this name."""
    _added[name] = read


def frame(request: HttpRequest) -> dict[str, object]:
    """Context processor: return the frame and the registered values, read lazily."""
    return {
        "frame": Frame(
            theme=theme_of(request),
            themes=THEMES,
            # Lazy, so that only the page that shows the notices consumes them.
            notices=cast("list[notices.Notice]", SimpleLazyObject(partial(_notices, request))),
        ),
        **{name: SimpleLazyObject(partial(_read, request, name)) for name in _added},
    }


def _notices(request: HttpRequest) -> list[notices.Notice]:
    return notices.waiting(request) if hasattr(request, "_messages") else []


def theme_of(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(cookie_name(THEME_COOKIE), "")
    return chosen if chosen in THEMES else "system"


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the reader's time zone as the browser named it; UTC before it did (static/js/times.js)."""
    return zone_named(request.COOKIES.get(ZONE_COOKIE, "")) or UTC


def signed_in(request: HttpRequest) -> bool:
    person = getattr(request, "user", None)
    return bool(person and person.is_authenticated)


def _read(request: HttpRequest, name: str) -> object:
    known: dict[str, object] = request.__dict__.setdefault("_frame", {})
    if name not in known:
        known[name] = _added[name](request)
    return known[name]
