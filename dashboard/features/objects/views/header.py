"""What stands around the rows of a list: the path, the ways to sort, the count, and what is known beyond what is shown."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.catalog.keys import printable, trail
from dashboard.catalog.query import EVERYTHING, quoted
from dashboard.features.objects.services.browse import Folder, Query, Sizes
from dashboard.features.objects.views.rows import NAMELESS
from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.web.text import bytes_text

MOST_STEPS = 5
LABELS = {"name": "Name", "updated": "Changed", "created": "Created", "accessed": "Last accessed"}


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


def steps(query: Query, *, base: str, bucket: str) -> list[Step]:
    """The bucket and each folder down to the one that is shown; of a long path the middle is one step, to the last of it."""
    up = replace(query, offset=0, open="", search="")
    places = [(bucket, ""), *trail(query.path)]
    walk = [Step(printable(name) or NAMELESS, "" if path == query.path else base + up.text(path=path)) for name, path in places]
    if len(walk) <= MOST_STEPS:
        return walk
    left_out = walk[1 : 3 - MOST_STEPS]
    return [walk[0], Step(f"… {len(left_out)} folders", left_out[-1].href), *walk[3 - MOST_STEPS :]]


def twins(folder: Folder, *, base: str) -> list[Step]:
    """The folders that the service lists together with this one, because it ignores letter case."""
    up = replace(folder.query, offset=0, open="")
    return [Step(printable(path), base + up.text(path=path)) for path in folder.twins]


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
    """What the header says of the bucket, and what the upload script must know of it; or why nothing of it is known."""

    public: bool = False
    limit: int | None = None
    limit_text: str = ""
    types: str = ""
    unknown: str = ""


def facts(bucket: Bucket | InterfaceError | None) -> Facts:
    """`bucket` is S4's word, or None where nobody asked."""
    match bucket:
        case None:
            return Facts()
        case NotFound() | NotAllowed():
            return Facts(unknown="The bucket's settings are not visible to your token")
        case InterfaceError():
            return Facts(unknown="The bucket's settings could not be read just now")
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


def order(folder: Folder) -> str:
    """What the order of the list is worth, where it is not ours."""
    if folder.whole or not folder.entries:
        return ""
    mixed = "folders and objects mixed, upper and lower case alike" if folder.query.sort == "name" else "folders first"
    return f"Sorted by the service over the whole folder, {mixed}."


def contents(folder: Folder, sizes: Sizes | None) -> str:
    """What the folder holds with all below it, where the index knows."""
    if not sizes or not sizes.here:
        return ""
    objects, size = sizes.here
    place = "folder" if folder.query.path else "bucket"
    return f"In this {place} and all below: {objects:,} object{'' if objects == 1 else 's'}, {bytes_text(size)}"


@dataclass(frozen=True, slots=True)
class Beyond:
    """An offer to take more than is shown: a box of the selection bar, and the search that an "all" of it means."""

    name: str
    value: str
    label: str
    filter: str = ""


def beyond(folder: Folder, sizes: Sizes | None) -> Beyond | None:
    """The folder itself; of a bucket all that the index knows, which it must know first."""
    query = folder.query
    if query.search or not folder.entries or (not folder.more and not query.offset):
        return None
    if query.path:
        return Beyond("folder", query.path, "Everything in this folder")
    return Beyond("all", "1", "Everything in this bucket", EVERYTHING) if sizes else None


def by_size(query: Query, space: str, bucket: str) -> str:
    """Where one sees this folder with all below it by size: S13 sorts by name and times alone."""
    asked = f"path:{quoted(query.path)}" if query.path else EVERYTHING
    words = urlencode({"q": asked, "sort": "size", "order": "desc"})
    return f"{reverse('search:index', kwargs={'space': space, 'bucket': bucket})}?{words}"
