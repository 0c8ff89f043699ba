"""What surrounds every page: sections that work here, the theme, notices that wait, and what upper floors add.

An upper floor registers a fact of its own in `AppConfig.ready`: `frame.add(name, read)`. It is read where a whole page is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import cast

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from dashboard import __version__
from dashboard.web import notices
from dashboard.web.cookies import cookie_name
from dashboard.web.htmx import wants_part

THEME_COOKIE = "theme"
THEMES = ("system", "light", "dark")

# Addresses over all projects that have no section of their own.
BELONGS = {"/organizations/": "/projects/", "/hostnames/": "/projects/"}

_added: dict[str, Callable[[HttpRequest], object]] = {}


@dataclass(frozen=True, slots=True)
class Link:
    """One place to go to. `here` marks where the person is."""

    label: str
    icon: str
    href: str
    here: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """`theme` is "system", "light" or "dark"."""

    version: str
    theme: str
    themes: tuple[str, ...]
    sections: tuple[Link, ...]
    notices: list[notices.Notice]


def add(name: str, read: Callable[[HttpRequest], object]) -> None:
    """Let templates see this by that name."""
    _added[name] = read


def prepare(request: HttpRequest) -> None:
    """Read what was added before the page is drawn, where one will be."""
    if request.method == "GET" and not wants_part(request):
        for name in _added:
            _read(request, name)


def frame(request: HttpRequest) -> dict[str, object]:
    """The context processor."""
    return {
        "frame": Frame(
            version=__version__,
            theme=theme_of(request),
            themes=THEMES,
            sections=_sections(request) if signed_in(request) else (),
            # Taken only by the page that shows them, not by every small template that is drawn before it.
            notices=cast("list[notices.Notice]", SimpleLazyObject(partial(_notices, request))),
        ),
        **{name: SimpleLazyObject(partial(_read, request, name)) for name in _added},
    }


def _notices(request: HttpRequest) -> list[notices.Notice]:
    return notices.waiting(request) if hasattr(request, "_messages") else []


def theme_of(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(cookie_name(THEME_COOKIE), "")
    return chosen if chosen in THEMES else "system"


def signed_in(request: HttpRequest) -> bool:
    person = getattr(request, "user", None)
    return bool(person and person.is_authenticated)


def project_links(ref: str, here: str) -> tuple[Link, ...]:
    """The local navigation of a project; `here` is "overview", "secrets" or "storage". Empty without a management interface."""
    if not settings.MANAGEMENT_URL:
        return ()
    places = [
        ("overview", "Overview", "layout-dashboard", "projects:show"),
        ("secrets", "Secrets", "lock-keyhole", "secrets:index"),
        ("functions", "Functions", "square-function", "functions:index"),
        ("hostname", "Hostname", "globe", "hostname:index"),
        ("network", "Network", "shield", "network:bans"),
        ("types", "Types", "braces", "types:index"),
        ("encryption", "Root key", "key-square", "encryption:index"),
    ]
    if "{ref}" in settings.STORAGE_URL:
        places.append(("storage", "Storage", "hard-drive", "buckets:index"))
    return tuple(Link(label, icon, reverse(name, args=(ref,)), key == here) for key, label, icon, name in places)


def space_steps(space: str, title: str) -> tuple[tuple[str, str], ...]:
    """How one comes to a storage: label and address of each step, the last one being its buckets."""
    buckets = reverse("buckets:index", args=(space,))
    if "{ref}" not in settings.STORAGE_URL:
        return ((title, buckets),)
    if not settings.MANAGEMENT_URL:
        return (("Storage", reverse("buckets:spaces")), (title, buckets))
    return (("Projects", reverse("projects:index")), (title, reverse("projects:show", args=(space,))), ("Storage", buckets))


def _sections(request: HttpRequest) -> tuple[Link, ...]:
    here = _root(request.path)
    works = {"Projects": bool(settings.MANAGEMENT_URL), "Storage": bool(settings.STORAGE_URL)}
    return tuple(
        Link(label, icon, href, _root(href) == BELONGS.get(here, here))
        for label, icon, href in _places()
        if works.get(label, True)
    )


@cache
def _places() -> tuple[tuple[str, str, str], ...]:
    """Label, icon and address of every section."""
    return (
        ("Projects", "layers", reverse("projects:index")),
        ("Storage", "hard-drive", reverse("buckets:spaces")),
        ("Links", "link", reverse("sharing:ledger")),
        ("Jobs", "list-checks", reverse("jobs:index")),
        ("Journal", "scroll-text", reverse("journal:index")),
        ("Team", "users", reverse("team:index")),
        ("Account", "key-round", reverse("account:tokens")),
    )


def _read(request: HttpRequest, name: str) -> object:
    known: dict[str, object] = request.__dict__.setdefault("_frame", {})
    if name not in known:
        known[name] = _added[name](request)
    return known[name]


def _root(href: str) -> str:
    """The first segment of a section's address: everything below it belongs to the section."""
    return f"/{href.split('/')[1]}/" if href.count("/") > 1 else href
