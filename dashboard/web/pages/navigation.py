"""Navigation: sections of the rail and of a project, switches between projects and buckets, and breadcrumb steps.

Upper layers register theirs in their `feature`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

# Label and address of each step, from the outermost.
Steps = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """One navigation link. `here` marks the current page's section; `letter` opens it after "g"."""

    label: str
    icon: str
    href: str
    here: bool
    letter: str


@dataclass(frozen=True, slots=True)
class Switch:
    """The page that changes the current project or bucket. `title` says which."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section. `covers` lists additional first path segments (rail) or URL namespaces (project)."""

    key: str
    label: str
    icon: str
    view: str
    order: int
    covers: tuple[str, ...]
    is_available: Callable[[], bool]


_sections: dict[str, Section] = {}
_project_sections: dict[str, Section] = {}
_roots: dict[str, Callable[[str, str], Steps]] = {}
_inner: dict[str, tuple[str, str]] = {}
_switches: dict[str, tuple[str, str]] = {}
_limits: list[Callable[[HttpRequest, str, str], bool]] = []
_pages: dict[str, Callable[[], str]] = {}


def _always() -> bool:
    return True


def add_section(
    label: str, icon: str, view: str, *, order: int, covers: tuple[str, ...] = (), is_available: Callable[[], bool] = _always
) -> None:
    """Register a section of the rail; `view` is the URL name of its first page."""
    _sections[view] = Section(view, label, icon, view, order, covers, is_available)


def add_project_section(
    key: str,
    label: str,
    icon: str,
    view: str,
    *,
    order: int,
    covers: tuple[str, ...] = (),
    is_available: Callable[[], bool] = _always,
) -> None:
    """Register a section of a project; `view` is a URL name that takes the project's ref alone."""
    _project_sections[key] = Section(key, label, icon, view, order, covers, is_available)


def limit_sections(shows: Callable[[HttpRequest, str, str], bool]) -> None:
    """Register whether a person sees a project's section, called as `shows(request, ref, key)`."""
    _limits.append(shows)


def add_root(argument: str, steps: Callable[[str, str], Steps]) -> None:
    """Register breadcrumb steps for a URL argument, called as `steps(name, label)`."""
    _roots[argument] = steps


def add_inner(argument: str, view: str, *, of: str) -> None:
    """Register the page of an item inside a root; both arguments are names of URL arguments."""
    _inner[argument] = (view, of)


def add_switch(argument: str, title: str, view: str) -> None:
    """Register the page that switches a URL argument; `view` is a URL name that takes its value alone."""
    _switches[argument] = (title, view)


def name_pages(**addresses: Callable[[], str]) -> None:
    """Register what returns the addresses of single pages that lower layers lead to."""
    _pages.update(addresses)


def named_page(name: str) -> str:
    """Return the address of one of these pages."""
    return _pages[name]()


def sections(request: HttpRequest) -> tuple[Link, ...]:
    """Return the rail's sections with the current one marked."""
    here = _first_segment(request.path)
    return _lettered(
        (section.label, section.icon, href, here in (_first_segment(href), *section.covers))
        for section, href in _addresses()
        if section.is_available()
    )


def section_step(address: str) -> Steps:
    """Return the breadcrumb step to the section of the rail, or to the account, that this address belongs to."""
    first = _first_segment(address)
    tokens = named_page("tokens")
    if first == _first_segment(tokens):
        return (("Account", tokens),)
    return tuple((section.label, href) for section, href in _addresses() if first in (_first_segment(href), *section.covers))


def place_title() -> str:
    """Return the name for places here, which depends on the configured interfaces."""
    if not settings.MANAGEMENT_URL:
        return "Storage"
    return "Project or storage" if settings.STORAGE_URL else "Project"


def project_sections(request: HttpRequest, ref: str, here: str) -> tuple[Link, ...]:
    """Return the sections of a project that the person sees; `here` is the current one's key. Empty without management."""
    found = available_sections() if settings.MANAGEMENT_URL else []
    found = [section for section in found if all(shows(request, ref, section.key) for shows in _limits)]
    return _lettered((section.label, section.icon, reverse(section.view, args=(ref,)), section.key == here) for section in found)


def available_sections() -> list[Section]:
    """Return the project sections available here, in order."""
    found = sorted(_project_sections.values(), key=lambda section: section.order)
    return [section for section in found if section.is_available()]


def project_section(ref: str, key: str) -> str:
    """Return the address of a project's section, or of its first one if there is none with this key."""
    found = available_sections()
    section = next((one for one in found if one.key == key), found[0])
    return reverse(section.view, args=(ref,))


def section_of(namespace: str) -> str:
    """Return the key of the project section of a URL namespace."""
    return next((section.key for section in _project_sections.values() if namespace in section.covers), namespace)


def root_steps(argument: str, name: str, label: str) -> Steps:
    return _roots[argument](name, label)


def inner_steps(arguments: dict[str, str]) -> Steps:
    """Return breadcrumb steps to items inside a root, such as a bucket or function."""
    return tuple(
        (arguments[argument], reverse(view, args=(arguments[of], arguments[argument])))
        for argument, (view, of) in _inner.items()
        if arguments.get(argument) and arguments.get(of)
    )


def inner_address(argument: str, root: str, name: str, **query: str) -> str:
    """Return the address of an item's page; empty values of the query are left out."""
    view, of = _inner[argument]
    address = reverse(view, kwargs={of: root, argument: name})
    words = urlencode({key: value for key, value in query.items() if value}, quote_via=quote, safe="")
    return f"{address}?{words}" if words else address


def switch(argument: str, name: str, **query: str) -> Switch | None:
    """Return the page that changes the value of a URL argument."""
    if argument not in _switches:
        return None
    title, view = _switches[argument]
    return Switch(title, f"{reverse(view, args=(name,))}?{urlencode(query)}")


@cache
def _addresses() -> tuple[tuple[Section, str], ...]:
    found = sorted(_sections.values(), key=lambda section: section.order)
    return tuple((section, reverse(section.view)) for section in found)


def _lettered(links: Iterable[tuple[str, str, str, bool]]) -> tuple[Link, ...]:
    """Give each link the first letter of its label that no earlier link has."""
    found: list[Link] = []
    for link in links:
        taken = {one.letter for one in found}
        found.append(Link(*link, letter=next((one for one in link[0].lower() if one.isalpha() and one not in taken), "")))
    return tuple(found)


def _first_segment(href: str) -> str:
    """Return the first path segment, which identifies a rail section."""
    return f"/{href.split('/')[1]}/" if href.count("/") > 1 else href
