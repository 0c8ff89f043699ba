"""What a search shows: rows whose cells are ready to print, lines of a spreadsheet, the largest folders."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote, urlencode

from dashboard.catalog import queries
from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.queries import Found, Known
from dashboard.catalog.query import Filter
from dashboard.catalog.walk import Entry
from dashboard.tokens.workspace import Workspace
from dashboard.web.pagination import query_of
from dashboard.web.spreadsheet import line
from dashboard.web.text import bytes_text, counted, halves, relative

PAGE = 100
MOST_FOLDERS = 8
NAMELESS = "(no name)"
LABELS = {"name": "Name", "path": "Path", "size": "Size", "type": "Type", "changed": "Changed", "created": "Created"}
COLUMNS = ("key", "bytes", "type", "changed", "created", "etag")
_LARGEST_FIRST = {"size", "changed", "created"}
_WAYS = {
    "name": ("A to Z", "Z to A"),
    "path": ("A to Z", "Z to A"),
    "type": ("A to Z", "Z to A"),
    "size": ("smallest first", "largest first"),
    "changed": ("oldest first", "newest first"),
    "created": ("oldest first", "newest first"),
}


@dataclass(frozen=True, slots=True)
class Query:
    """What the address of a search says."""

    q: str = ""
    sort: str = "name"
    order: Literal["asc", "desc"] = "asc"
    offset: int = 0

    def text(self, **changes: Any) -> str:
        return query_of(self, **changes)


@dataclass(frozen=True, slots=True)
class Row:
    """One object that was found. `href` opens it in its folder, `folder_href` the folder alone."""

    key: str
    name: str
    head: str
    tail: str
    href: str
    folder: str
    folder_href: str
    bytes: int
    size: str
    type: str
    time: str
    time_at: str


@dataclass(frozen=True, slots=True)
class Column:
    """A way to sort: its words, the address, and how it sorts now ("" when it does not)."""

    label: str
    href: str
    direction: str
    words: str


@dataclass(frozen=True, slots=True)
class Folder:
    """One of the largest folders: what it holds, its share of the whole, and where to look into it."""

    name: str
    href: str
    inside: str
    objects: str
    size: str
    share: float


@dataclass(frozen=True, slots=True)
class State:
    """What is known of the bucket, in words; `job_id` is that of a reading that goes on or was left off."""

    as_of: datetime
    complete: bool
    crawling: bool
    job_id: int | None
    words: str
    objects_text: str
    folders_text: str
    bytes_text: str
    seen_text: str
    left_out_text: str


def words_of(known: Known) -> State:
    left_out = f"{counted(known.left_out, 'entry', 'entries')} are too long to be kept"
    return State(
        as_of=known.as_of,
        complete=known.complete,
        crawling=known.crawling,
        job_id=known.job_id,
        words=known.words,
        objects_text=counted(known.objects, "object"),
        folders_text=counted(known.folders, "folder"),
        bytes_text=bytes_text(known.bytes),
        seen_text=counted(known.seen, "object"),
        left_out_text=left_out if known.left_out else "",
    )


def find(workspace: Workspace, space: str, bucket: str, asked: Filter, query: Query) -> Found | None:
    """One page; None where the bucket was never crawled with the person's token."""
    return queries.search(workspace, space, bucket, asked, sort=query.sort, order=query.order, offset=query.offset, limit=PAGE)


def rows(found: Found, query: Query, *, base: str) -> Iterator[Row]:
    """`base` is the address of the bucket's browser."""
    created = query.sort == "created"
    for entry in found.rows:
        name = printable(name_of(entry.key)) or NAMELESS
        path = folder_of(entry.key)
        place = f"{base}?path={quote(path, safe='')}" if path else base
        head, tail = halves(name)
        moment = entry.created_at if created else entry.updated_at
        yield Row(
            key=entry.key,
            name=name,
            head=head,
            tail=tail,
            href=f"{place}{'&' if path else '?'}open={quote(entry.key, safe='')}",
            folder=printable(path) or "(root)",
            folder_href=place,
            bytes=entry.size or 0,
            size=bytes_text(entry.size),
            type=entry.mimetype or "—",
            time=relative(moment) if moment else "—",
            time_at=moment.isoformat(timespec="seconds") if moment else "",
        )


def columns(query: Query, *, home: str) -> dict[str, Column]:
    """Every way to sort. The one that sorts now turns round; sizes and times start with the largest."""
    return {name: _column(query, home, name, label) for name, label in LABELS.items()}


def folders(workspace: Workspace, space: str, bucket: str, known: Known, path: str, *, home: str, base: str) -> list[Folder]:
    """The largest folders right in `path`, the largest first."""
    found = queries.largest(workspace, space, bucket, path, limit=MOST_FOLDERS)
    return [
        Folder(
            name=printable(large.path[len(path) :]),
            href=f"{base}?{urlencode({'path': large.path})}",
            inside=f"{home}?{urlencode({'fields': '1', 'path': large.path})}",
            objects=counted(large.objects, "object"),
            size=bytes_text(large.bytes),
            share=large.bytes / known.bytes if known.bytes else 0.0,
        )
        for large in found
    ]


def count_sentence(found: Found, asked: Filter) -> str:
    """How many there are and how large, as said to everyone and read out after each change."""
    if not found.total:
        return "Nothing matches" if not asked.finds_all else "No objects"
    return f"{counted(found.total, 'object')}, {bytes_text(found.bytes)}{' together' if found.total > 1 else ''}"


def as_csv(workspace: Workspace, space: str, bucket: str, asked: Filter) -> Iterator[str]:
    """Every object that matches as a line, by key."""
    yield line(COLUMNS)
    for entry in queries.keys(workspace, space, bucket, asked):
        yield line((entry.key, entry.size, entry.mimetype, _exact(entry, "updated_at"), _exact(entry, "created_at"), entry.etag))


def _exact(entry: Entry, member: str) -> str:
    moment = getattr(entry, member)
    return moment.isoformat() if moment else ""


def _column(query: Query, home: str, name: str, label: str) -> Column:
    sorted_now = query.sort == name
    start = "desc" if name in _LARGEST_FIRST else "asc"
    order = ("desc" if query.order == "asc" else "asc") if sorted_now else start
    up, down = _WAYS[name]
    words = f"sorted {up if query.order == 'asc' else down}; " if sorted_now else ""
    direction = ("ascending" if query.order == "asc" else "descending") if sorted_now else ""
    return Column(
        label,
        home + query.text(sort=name, order=order, offset=0),
        direction,
        f"{words}sort {up if order == 'asc' else down}",
    )
