"""Lists that are filtered by typing: switches between projects and buckets, and the command palette."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse

from dashboard.web.pages.answers import dialog, is_dialog, page
from dashboard.web.pages.htmx import htmx_of, wants_part
from dashboard.web.text import search_text

# Ids of the list in the dialog and of that on a page. A dialog may open over the latter.
IN_DIALOG, ON_PAGE = "find-list", "find-page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One entry. `note` says where it is; `label` is the team's label of a project; `here` marks the current page's entry.

    `also`: further words that find it.
    """

    name: str
    href: str
    icon: str
    note: str = ""
    label: object = None
    here: bool = False
    also: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Entries of one kind."""

    title: str
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The content of a list: the typed text, the entries, the text `none` if there are none, fields of the address to `keep`."""

    action: str
    query: str
    hint: str
    none: str
    groups: Sequence[Group]
    keep: Sequence[tuple[str, str]] = field(default=())


def query_of(request: HttpRequest) -> str:
    return " ".join(search_text(request.GET.get("q", "")).split())


def matching(query: str, hits: Iterable[Hit]) -> list[Hit]:
    """Return the entries that contain every word; first what has the text as its name, then those that begin with it."""
    wanted = query.casefold()
    words = wanted.split()
    found = [hit for hit in hits if all(word in _text(hit) for word in words)]
    return sorted(found, key=lambda hit: ((name := hit.name.casefold()) != wanted, not name.startswith(wanted)))


def _text(hit: Hit) -> str:
    return f"{hit.name}\n{hit.note}\n{getattr(hit.label, 'name', '')}\n{hit.also}".casefold()


def find(request: HttpRequest, matches: Matches, *, title: str, back: str = "/") -> HttpResponse:
    """Show the list in the dialog or on a page, or its entries alone."""
    target = htmx_of(request).target or ""
    is_list = wants_part(request) and target in (IN_DIALOG, ON_PAGE)
    context = {"find": matches, "title": title, "back": back, "list_id": IN_DIALOG if is_dialog(request) else ON_PAGE}
    if is_list:
        context["list_id"] = target
        return page(request, "parts/_find_list.html", context)
    return dialog(request, "parts/_find.html", context)
