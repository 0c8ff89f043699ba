"""The functions of a project as rows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from dashboard.features.functions.models import Seen
from dashboard.features.functions.rules.labels import Moment, State, is_open, moment_of, state_of, version_of
from dashboard.features.functions.rules.slugs import is_readable
from dashboard.interfaces.management.functions import Function
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

COLUMNS = ("name", "status", "version", "updated")


@dataclass(frozen=True, slots=True)
class Filter:
    """Search, order and the one filter, as they stand in the address. What makes no sense is left out."""

    search: str = ""
    unprotected: bool = False
    sort: str = "name"
    descending: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> "Filter":
        sort = query.get("sort", "")
        known = sort.removeprefix("-") in COLUMNS
        return cls(
            search=query.get("q", "").strip(),
            unprotected=query.get("show") == "unprotected",
            sort=sort.removeprefix("-") if known else "name",
            descending=known and sort.startswith("-"),
        )

    @property
    def narrows(self) -> bool:
        return bool(self.search) or self.unprotected


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. The addresses are empty for a slug that no address of ours can carry."""

    slug: str
    name: str
    state: State
    version: str
    is_protected: bool
    is_open: bool
    is_told: bool
    has_import_map: bool
    changed: Moment
    href: str
    edit_href: str
    delete_href: str


def list_functions(workspace: Workspace, ref: str) -> list[Function]:
    """Every function of the project (M10), in no order; removed ones may be among them."""
    return workspace.management.functions.all(ref)


def count_unprotected(functions: Sequence[Function]) -> int:
    """How many anybody can call: those that check no JWT and still run."""
    return sum(is_open(function) for function in functions)


def rows_of(functions: Sequence[Function], ref: str, asked: Filter) -> list[Row]:
    """Lines ready to print, of the functions whose slug or name contains the searched text, whatever its case."""
    wanted = asked.search.casefold()
    found = [
        function
        for function in functions
        if (wanted in function.slug.casefold() or wanted in function.name.casefold())
        and (not asked.unprotected or is_open(function))
    ]
    found.sort(key=lambda function: (function.slug.casefold(), function.slug))
    if asked.sort == "status":
        found.sort(key=lambda function: function.status.value, reverse=asked.descending)
    elif asked.sort == "version":
        found.sort(key=lambda function: function.version, reverse=asked.descending)
    elif asked.sort == "updated":
        found.sort(key=lambda function: function.updated_at, reverse=asked.descending)
    elif asked.descending:
        found.reverse()
    return [_row(function, ref) for function in found]


def forgotten_of(workspace: Workspace, ref: str, listed: Collection[str]) -> list[str]:
    """Slugs that the service lists no more, of which bodies are kept here."""
    kept = Seen.objects.filter(body__token=workspace.fingerprint(Kind.MANAGEMENT), body__ref=ref)
    slugs = kept.order_by("body__slug").values_list("body__slug", flat=True).distinct()
    return [slug for slug in slugs if slug not in listed and is_readable(slug)]


def _row(function: Function, ref: str) -> Row:
    readable = is_readable(function.slug)
    href = reverse("functions:show", args=[ref, function.slug]) if readable else ""
    return Row(
        slug=function.slug,
        name=function.name if function.name != function.slug else "",
        state=state_of(function),
        version=version_of(function.version),
        is_protected=function.checks_jwt,
        is_open=is_open(function),
        is_told=function.verify_jwt is not None,
        has_import_map=bool(function.import_map),
        changed=moment_of(function.updated_at, function.updated),
        href=href,
        edit_href=f"{href}settings/" if readable else "",
        delete_href=f"{href}delete/" if readable else "",
    )
