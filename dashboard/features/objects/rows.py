"""Rows of a list and lines of a panel, every cell ready to print: filters and addresses in a loop cost eight times as much."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from django.urls import reverse
from django.utils import timezone

from dashboard.features.objects.services.browsing import Folder, Query
from dashboard.index.places import printable, trail
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import StoredObject
from dashboard.web.text import bytes_text, exact, halves, relative

NAMELESS = "(no name)"
MOST_STEPS = 5
LABELS = {"name": "Name", "updated": "Changed", "created": "Created", "accessed": "Last accessed"}


class Row(NamedTuple):
    """One entry, every cell a text. A tuple, since the template takes it apart: looking up members by name costs twice as much.

    `box` is the name of its checkbox ("key" or "folder"), `value` its key, or its path with the slash. `href` is "" where the
    service can't list the folder (a name of nothing); `at` is "" for folders, `note` says where a folder's size comes from.
    """

    box: str
    value: str
    name: str
    head: str
    tail: str
    href: str
    bytes: str
    size: str
    note: str
    type: str
    at: str
    time: str
    current: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One part of the path: its name, the list it leads to ("" for the folder one is in)."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Column:
    """A header that sorts: its words, the list sorted by it, and how it is sorted now ("" when it is not)."""

    label: str
    href: str
    direction: str
    words: str


def rows(folder: Folder, sizes: Mapping[str, tuple[str, str, str]] = MappingProxyType({})) -> Iterator[Row]:
    """The entries of one page; their addresses are relative to the bucket's.

    `sizes`: what is known of folders by path, as bytes, the same in words, and where it is known from.
    """
    query = folder.query
    path = quote(query.path, safe="")
    down = replace(query, path="", search="", offset=0, open="").text().replace("?", "&", 1)
    here = replace(query, offset=0, open="").text()
    beside = f"{here}{'&' if here else '?'}open={path}"
    now = timezone.now()
    for entry in folder.entries:
        name = printable(entry.name) or NAMELESS
        head, tail = halves(name)
        key = query.path + entry.name
        quoted = quote(entry.name, safe="")
        if entry.is_folder:
            # A folder without a name at the root would have to be asked for as "/", which finds nothing.
            href = f"?path={path}{quoted}%2F{down}" if key else ""
            count, size, note = sizes.get(f"{key}/", ("", "", ""))
            yield Row("folder", f"{key}/", name, head, tail, href, count, size, note, "Folder", "", "", False)
            continue
        shown = {"created": entry.created_at, "accessed": entry.last_accessed_at}.get(
            query.sort, entry.updated_at or entry.created_at
        )
        size = entry.size
        yield Row(
            "key",
            key,
            name,
            head,
            tail,
            beside + quoted,
            str(size or 0),
            bytes_text(size),
            "",
            entry.mimetype or "—",
            shown.isoformat(timespec="seconds").replace("+00:00", "Z") if shown else "—",
            relative(shown, now) if shown else "",
            key == query.open,
        )


def steps(query: Query, *, base: str, bucket: str) -> list[Step]:
    """The bucket and each folder down to the one that is shown; of a long path the middle is one step, to the last of it."""
    up = replace(query, offset=0, open="", search="")
    places = [(bucket, ""), *trail(query.path)]
    walk = [Step(printable(name) or NAMELESS, "" if path == query.path else base + up.text(path=path)) for name, path in places]
    if len(walk) <= MOST_STEPS:
        return walk
    left_out = walk[1 : 3 - MOST_STEPS]
    return [walk[0], Step(f"… {len(left_out)} folders", left_out[-1].href), *walk[3 - MOST_STEPS :]]


def columns(query: Query, *, base: str) -> list[Column]:
    """The four ways to sort. The one that sorts now turns round; times start with the newest."""
    return [_column(query, base, name, label) for name, label in LABELS.items()]


def time_column(query: Query, *, base: str) -> Column:
    """The one column of times: that which sorts the list, otherwise when things changed."""
    name = "updated" if query.sort == "name" else query.sort
    return _column(query, base, name, LABELS[name])


def _column(query: Query, base: str, name: str, label: str) -> Column:
    start = "asc" if name == "name" else "desc"
    sorted_now = query.sort == name
    order = ("desc" if query.order == "asc" else "asc") if sorted_now else start
    ways = {"asc": "A to Z", "desc": "Z to A"} if name == "name" else {"asc": "oldest first", "desc": "newest first"}
    words = f"sorted {ways[query.order]}; " if sorted_now else ""
    direction = ("ascending" if query.order == "asc" else "descending") if sorted_now else ""
    return Column(label, base + query.text(sort=name, order=order, offset=0, open=""), direction, f"{words}sort {ways[order]}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the header says of the bucket, and what the upload script must know of it."""

    public: bool
    limit: int | None
    limit_text: str
    types: str
    known: bool = True


def facts(bucket: Bucket | None) -> Facts:
    if bucket is None:
        return Facts(public=False, limit=None, limit_text="", types="", known=False)
    return Facts(
        public=bucket.is_public,
        limit=bucket.file_size_limit,
        limit_text=bytes_text(bucket.file_size_limit) if bucket.file_size_limit is not None else "",
        types=", ".join(bucket.allowed_mime_types or ()),
    )


def count_sentence(folder: Folder) -> str:
    """How many entries there are, as said to everyone and read out after each change."""
    shown = len(folder.entries)
    of = "entry" if shown == 1 else "entries"
    first = folder.query.offset + 1
    if folder.query.search:
        found = f"{shown:,} {of}{' so far' if folder.more else ''} beginning with “{printable(folder.query.search)}”"
        return found if not folder.query.offset else f"Entries {first:,} to {folder.next_offset:,}, {found}"
    if folder.query.offset and not shown and not folder.more:
        return f"No entries from {first:,} on"
    if folder.query.offset:
        return f"Entries {first:,} to {folder.next_offset:,}{', and more' if folder.more else ', the last ones'}"
    return f"{shown:,} {of}{', and more' if folder.more else ''}"


def foot(folder: Folder) -> list[str]:
    """What the order of the list is worth."""
    if folder.whole or not folder.entries:
        return []
    if folder.query.sort == "name":
        return ["Sorted by the service: folders and objects mixed, upper and lower case alike."]
    return ["Sorted by the service over the whole folder, folders first."]


@dataclass(frozen=True, slots=True)
class Member:
    """One line of the panel: its words, the value, and the exact value where the first is rounded."""

    label: str
    value: str
    exact: str = ""
    copy: bool = False


def moment(label: str, at: datetime | None) -> list[Member]:
    return [Member(label, relative(at), exact(at))] if at else []


_SHOWN = {"size", "mimetype", "cacheControl", "eTag", "lastModified", "contentLength"}


def other_members(entry: StoredObject | None) -> list[Member]:
    """Every member of the list's metadata that has no line of its own."""
    metadata = (entry.metadata if entry else None) or {}
    return [Member(name, str(value)) for name, value in sorted(metadata.items()) if name not in _SHOWN]


def bucket_address(space: str, bucket: str) -> str:
    return reverse("objects:index", kwargs={"space": space, "bucket": bucket})


def verb_address(verb: str, space: str, bucket: str) -> str:
    return reverse(f"objects:{verb}", kwargs={"space": space, "bucket": bucket})
