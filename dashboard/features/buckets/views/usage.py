"""Show what a bucket holds, from its index."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from urllib.parse import urlencode

import squarify  # type: ignore[import-untyped] # it has no types
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.queries import Large
from dashboard.catalog.query import EVERYTHING, quoted
from dashboard.catalog.walk import Entry
from dashboard.features.buckets.services import usage
from dashboard.features.buckets.services.usage import Share, Spread, Usage
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links.ledger import counts
from dashboard.team.models import Role
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import emptiness
from dashboard.web.failures.problems import sentence
from dashboard.web.pages.answers import page
from dashboard.web.pages.navigation import inner_address
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import bytes_text

PART = "bucket-usage"
# How the search calls each age of `usage.AGES`.
AGES = (
    ("Last 7 days", "newer:7d"),
    ("8 to 30 days", "older:7d newer:30d"),
    ("31 days to a year", "older:30d newer:365d"),
    ("More than a year", "older:365d"),
)
# The drawing is three times as wide as high; a smaller cell has no room for its name, on a phone none below WIDE.
WIDTH, HEIGHT = 300.0, 100.0
NAMED_WIDTH, NAMED_HEIGHT, WIDE = 24.0, 18.0, 60.0


class Part(NamedTuple):
    """A row of a table: what it is, where it leads (or ""), and its share of the bytes in percent."""

    name: str
    href: str
    objects: int
    bytes: int
    size: str
    share: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A rectangle of the treemap, in percent of the drawing."""

    part: Part
    x: str
    y: str
    width: str
    height: str
    is_named: bool
    is_wide: bool


class File(NamedTuple):
    """`query`: its key, for the dialogs that share and delete it."""

    name: str
    href: str
    query: str
    entry: Entry


@require_GET
@with_workspace
def show(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)
    path = request.GET["path"].lstrip("/") if "path" in request.GET else usage.find_start(workspace, space, bucket)
    path = f"{path}/" if path and not path.endswith("/") else path
    title, access = side_by_side(lambda: workspace.title(space), lambda: usage.read_access(workspace, space, bucket))
    known, found = usage.read(workspace, space, bucket, path)
    place = {"space": space, "bucket": bucket}
    context: dict[str, object] = {
        "space": space,
        "bucket": bucket,
        "space_title": title,
        "path": path,
        "steps": _steps(place, path),
        "whole": _here(place, ""),
        "browse": inner_address("bucket", space, bucket, path=path),
        "known": known,
        "found": found,
        "public": access.is_public if isinstance(access, Bucket) else None,
        "unknown": sentence(access) if isinstance(access, InterfaceError) else "",
        "links": counts(space, [bucket], person=request.user)[bucket],
        "crawl_url": reverse("search:crawl", kwargs=place),
        "starts": request.user.role != Role.VIEWER and not workspace.grant_at(Kind.STORAGE, space),
    }
    if found and not found.total.objects:
        context["empty"] = emptiness(workspace, space, bucket, path, certain="No objects")
    drawn = _drawn(place, path, found) if found else {}
    return page(request, "buckets/usage.html", context | drawn, parts={PART: "buckets/_usage.html"})


def _drawn(place: dict[str, str], path: str, found: Usage) -> dict[str, object]:
    spread = found.spread
    files = [_part(found, one.name, Large("", 1, one.entry.size or 0), one.href) for one in _files(place, spread.files)]
    types = [
        _part(found, one.name.replace(";", "; ") or "Unknown", one, _search(place, path, f"type:{quoted(one.name)}"))
        for one in found.types
    ]
    if found.other_types:
        types.append(_part(found, "Other types", found.other_types))
    return {
        "folders": _folders(place, path, found, found),
        "cells": _treemap([*files, *_folders(place, spread.place.path, found, spread)]),
        "within": (printable(spread.place.path), _here(place, spread.place.path)) if spread.place.path != path else None,
        "types": types,
        "ages": [
            _part(found, name, one, _search(place, path, terms)) for one, (name, terms) in zip(found.ages, AGES, strict=True)
        ],
        "largest": _files(place, found.largest),
        "newest": _files(place, found.newest),
        "all_largest": _search(place, path, EVERYTHING, sort="-size"),
        "all_newest": _search(place, path, EVERYTHING, sort="-changed"),
    }


def _folders(place: dict[str, str], path: str, found: Usage, parts: Usage | Spread) -> list[Part]:
    """Return the folders in a path, the files directly in it, and what is left of each."""
    folders = [_part(found, printable(one.path[len(path) :]), one, _here(place, one.path)) for one in parts.folders]
    if parts.here.objects:
        name = "Files in this folder" if path else "Files in no folder"
        name = f"Other {name[0].lower()}{name[1:]}" if isinstance(parts, Spread) and parts.files else name
        folders.append(_part(found, name, parts.here, inner_address("bucket", *place.values(), path=path)))
    if parts.others:
        folders.append(_part(found, "Other folders", parts.others))
    return folders


def _part(found: Usage, name: str, sums: Large | Share, href: str = "") -> Part:
    share = 100 * sums.bytes / (found.total.bytes or 1)
    return Part(name, href if sums.objects else "", sums.objects, sums.bytes, bytes_text(sums.bytes), f"{share:.1f}%")


def _treemap(parts: Sequence[Part]) -> list[Cell]:
    sized = sorted((part for part in parts if part.bytes), key=lambda part: -part.bytes)
    areas = squarify.normalize_sizes([part.bytes for part in sized], WIDTH, HEIGHT)
    return [_cell(part, **cell) for part, cell in zip(sized, squarify.squarify(areas, 0, 0, WIDTH, HEIGHT), strict=True)]


def _cell(part: Part, *, x: float, y: float, dx: float, dy: float) -> Cell:
    left, top, wide, high = (
        f"{100 * number / whole:.3f}%" for number, whole in ((x, WIDTH), (y, HEIGHT), (dx, WIDTH), (dy, HEIGHT))
    )
    is_named = dx >= NAMED_WIDTH and dy >= NAMED_HEIGHT
    return Cell(part, left, top, wide, high, is_named=is_named, is_wide=dx >= WIDE)


def _files(place: dict[str, str], entries: Sequence[Entry]) -> list[File]:
    """Return the files, each with the address of the browser that shows its details."""
    address = partial(inner_address, "bucket", *place.values())
    return [
        File(printable(name_of(one.key)), address(path=folder_of(one.key), open=one.key), urlencode({"key": one.key}), one)
        for one in entries
    ]


def _steps(place: dict[str, str], path: str) -> list[tuple[str, str]]:
    """Return the name and the address of each folder of a path."""
    names = path.split("/")[:-1]
    return [(printable(name), _here(place, "/".join(names[: number + 1]) + "/")) for number, name in enumerate(names)]


def _here(place: dict[str, str], path: str) -> str:
    return f"{reverse('buckets:usage', kwargs=place)}?{urlencode({'path': path})}"


def _search(place: dict[str, str], path: str, terms: str, sort: str = "-size") -> str:
    inside = f"{terms} path:{quoted(path)}" if path else terms
    return f"{reverse('search:index', kwargs=place)}?{urlencode({'q': inside, 'sort': sort})}"
