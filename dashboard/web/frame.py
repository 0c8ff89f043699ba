"""What surrounds every page: sections that work here, the theme, notices that wait."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from dashboard import __version__
from dashboard.web import notices

THEME_COOKIE = "pilothouse_theme"
THEMES = ("system", "light", "dark")

# Addresses over all projects that have no section of their own.
BELONGS = {"/organizations/": "/projects/", "/hostnames/": "/projects/"}


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


def frame(request: HttpRequest) -> dict[str, Frame]:
    """The context processor."""
    return {
        "frame": Frame(
            version=__version__,
            theme=theme_of(request),
            themes=THEMES,
            sections=_sections(request) if signed_in(request) else (),
            notices=notices.waiting(request) if hasattr(request, "_messages") else [],
        )
    }


def theme_of(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(THEME_COOKIE, "")
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
    places = (
        ("Projects", "layers", reverse("projects:index"), bool(settings.MANAGEMENT_URL)),
        ("Storage", "hard-drive", reverse("buckets:spaces"), bool(settings.STORAGE_URL)),
        ("Links", "link", reverse("sharing:ledger"), True),
        ("Jobs", "list-checks", reverse("jobs:index"), True),
        ("Journal", "scroll-text", reverse("journal:index"), True),
        ("Team", "users", reverse("team:index"), True),
        ("Account", "key-round", reverse("account:tokens"), True),
    )
    here = _root(request.path)
    return tuple(Link(label, icon, href, _root(href) == BELONGS.get(here, here)) for label, icon, href, works in places if works)


def _root(href: str) -> str:
    """The first segment of a section's address: everything below it belongs to the section."""
    return f"/{href.split('/')[1]}/" if href.count("/") > 1 else href
