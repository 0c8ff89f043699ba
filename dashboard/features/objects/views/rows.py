"""A folder's list, preformatted: filters and URLs in a template loop cost eight times as much."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote, quote_plus, urlencode

from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.keys import printable, trail
from dashboard.catalog.query import EVERYTHING, quoted
from dashboard.catalog.types import mark_of
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.browse import Folder, Sizes
from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import StoredObject
from dashboard.web.pages.sort_order import Column, column
from dashboard.web.text import bytes_text, counted, exact, halves, relative

NAMELESS, UNKNOWN = "(no name)", "Unknown"
BLOCK = 50


class Row(NamedTuple):
    """One entry, all cells as text, for `{% each %}`.

    `box` names its checkbox ("key" or "folder"), `value` is its key or path. `at` is "" for folders, `time` also where it is
    unknown; `note` tells the source of a folder's size, `picture` is the address of a thumbnail, `kind` and `ending` are what the
    icon shows.
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
    picture: str
    kind: str = ""
    ending: str = ""


Thumbnail = Callable[[str, StoredObject], str]


def blocks(folder: Folder, sizes: Sizes | None, thumbnail: Thumbnail) -> list[list[Row]]:
    """The rows in blocks of 50, which browsers lay out one by one; at least one block."""
    found = list(rows(folder, sizes, thumbnail))
    return [found[at : at + BLOCK] for at in range(0, max(1, len(found)), BLOCK)]


def rows(folder: Folder, sizes: Sizes | None, thumbnail: Thumbnail) -> Iterator[Row]:
    """The rows of one page, with addresses relative to the bucket's."""
    known = _known(sizes)
    query = folder.query
    path = quote_plus(query.path)
    down = replace(query, path="", search="", offset=0, open="").text().replace("?", "&", 1)
    here = replace(query, offset=0, open="").text()
    beside = f"{here}{'&' if here else '?'}open={path}"
    now = timezone.now()
    for entry in folder.entries:
        name = printable(entry.name) or NAMELESS
        head, tail = halves(name)
        key = query.path + entry.name
        quoted = quote_plus(entry.name)
        if entry.is_folder:
            href = f"?path={path}{quoted}%2F{down}"
            count, words, note = known.get(f"{key}/", ("", "", ""))
            yield Row("folder", f"{key}/", name, head, tail, href, count, words, note, "Folder", "", "", False, "")
            continue
        shown = _time(entry, query.sort.column)
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
            entry.mimetype or UNKNOWN,
            shown.isoformat(timespec="seconds").replace("+00:00", "Z") if shown else UNKNOWN,
            relative(shown, now) if shown else "",
            key == query.open,
            thumbnail(key, entry),
            *mark_of(entry.name, entry.mimetype),
        )


def _time(entry: StoredObject, sort: str) -> datetime | None:
    """The time that the list is sorted by, else the last change."""
    return entry.created_at if sort == "created" else entry.updated_at or entry.created_at


def _known(sizes: Sizes | None) -> dict[str, tuple[str, str, str]]:
    """Per folder: bytes, formatted size, and the source of both."""
    if sizes is None:
        return {}
    as_of = exact(sizes.as_of)
    return {
        path: (str(size), bytes_text(size), f"{objects:,} object{'' if objects == 1 else 's'}, as of {as_of}")
        for path, (objects, size) in sizes.inside.items()
    }


@dataclass(frozen=True, slots=True)
class Member:
    """One line of the details: label, value, and the exact value of a rounded one."""

    label: str
    value: str
    exact: str = ""
    copy: bool = False


def moment(label: str, at: datetime | None) -> list[Member]:
    return [Member(label, relative(at), exact(at))] if at else []


_SHOWN = {"size", "mimetype", "cacheControl", "eTag", "lastModified", "contentLength"}


def other_members(entry: StoredObject | None) -> list[Member]:
    """Return the listed metadata without a line of their own."""
    metadata = (entry.metadata if entry else None) or {}
    return [Member(name, str(value)) for name, value in sorted(metadata.items()) if name not in _SHOWN]


def bucket_address(space: str, bucket: str) -> str:
    return reverse("objects:index", kwargs={"space": space, "bucket": bucket})


def verb_address(verb: str, space: str, bucket: str) -> str:
    return reverse(f"objects:{verb}", kwargs={"space": space, "bucket": bucket})


def view_address(query: Query, space: str, bucket: str, key: str) -> str:
    """The viewer, which goes on in the order of this list."""
    listing = query.text(path="", open="").replace("?", "&", 1)
    return f"{verb_address('preview', space, bucket)}?key={quote(key, safe='')}{listing}"


MOST_STEPS = 5
LABELS = {"name": "Name", "updated": "Changed", "created": "Created"}


@dataclass(frozen=True, slots=True)
class Step:
    """One part of the path; `href` is "" for the open folder."""

    name: str
    href: str


def steps(query: Query, *, base: str, bucket: str) -> list[Step]:
    """The bucket and the folders down to the open one; the middle of a long path is one step."""
    up = replace(query, offset=0, open="", search="")
    places = [(bucket, ""), *trail(query.path)]
    walk = [Step(printable(name) or NAMELESS, "" if path == query.path else base + up.text(path=path)) for name, path in places]
    if len(walk) <= MOST_STEPS:
        return walk
    left_out = walk[1 : 3 - MOST_STEPS]
    return [walk[0], Step(f"… {len(left_out)} folders", left_out[-1].href), *walk[3 - MOST_STEPS :]]


def twins(folder: Folder, *, base: str) -> list[Step]:
    """Folders that differ only in letter case, which the service lists together with this one."""
    up = replace(folder.query, offset=0, open="")
    return [Step(printable(path), base + up.text(path=path)) for path in folder.twins]


def columns(query: Query, *, base: str) -> list[Column]:
    """The sortable columns. Sorting again by the same one reverses it; times start with the newest."""
    return [_column(query, base, name, label) for name, label in LABELS.items()]


def time_column(query: Query, *, base: str) -> Column:
    """The time column: the one that the list is sorted by, else the last change."""
    name = "updated" if query.sort.column == "name" else query.sort.column
    return _column(query, base, name, LABELS[name])


def _column(query: Query, base: str, name: str, label: str) -> Column:
    kind = "text" if name == "name" else "time"
    return column(name, label, query.sort, kind=kind, address=lambda order: base + query.text(sort=order, offset=0, open=""))


@dataclass(frozen=True, slots=True)
class BucketSettings:
    """The bucket's settings for the header and the upload script; `unknown`: why there are none."""

    public: bool = False
    limit: int | None = None
    limit_text: str = ""
    types: str = ""
    unknown: str = ""


def settings_of(bucket: Bucket | InterfaceError | None) -> BucketSettings:
    """`bucket`: the answer of S4; None if it was not called."""
    match bucket:
        case None:
            return BucketSettings()
        case NotFound() | NotAllowed():
            return BucketSettings(unknown="Settings not visible to your token")
        case InterfaceError():
            return BucketSettings(unknown="Settings unavailable")
    return BucketSettings(
        public=bucket.is_public,
        limit=bucket.file_size_limit,
        limit_text=bytes_text(bucket.file_size_limit) if bucket.file_size_limit is not None else "",
        types=", ".join(bucket.allowed_mime_types or ()),
    )


def count_sentence(folder: Folder) -> str:
    """How many entries are shown; also read out by screen readers."""
    shown = len(folder.entries)
    of = "entry" if shown == 1 else "entries"
    first = folder.query.offset + 1
    if folder.query.search:
        verb = "beginning with" if folder.more else "with"
        is_cut = folder.more or (folder.containing and folder.containing.is_cut)
        found = f"{shown:,} {of}{' so far' if is_cut else ''} {verb} “{printable(folder.query.search)}”"
        return found if not folder.query.offset else f"Entries {first:,} to {folder.next_offset:,}, {found}"
    if folder.query.offset and not shown and not folder.more:
        return f"No entries from {first:,} on"
    if folder.query.offset:
        return f"Entries {first:,} to {folder.next_offset:,}{'' if folder.more else ', the last ones'}"
    return f"First {shown:,}" if folder.more else f"{shown:,} {of}"


def searched(folder: Folder) -> str:
    """Where a filter looked for names that contain its text, if that was not the folder as it is now."""
    found = folder.containing
    if found is None or (found.is_all and found.as_of is None):
        return ""
    if found.as_of:
        return f"Names that begin with the text are current; names that contain it are as last counted of {exact(found.as_of)}."
    return (
        "Names that begin with the text are from the whole folder; "
        f"names that contain it are among its first {found.looked_through:,} entries."
    )


def whole_bucket(query: Query, space: str, bucket: str) -> str:
    """The search in the whole bucket for the text of the filter."""
    text = query.search.replace('"', "")
    asked = urlencode({"q": f'"{text}"'}) if text else ""
    return f"{reverse('search:index', kwargs={'space': space, 'bucket': bucket})}{'?' if asked else ''}{asked}"


def order(folder: Folder) -> str:
    """A note on the order, if the service sorts the list, and on folders that may be hidden behind another."""
    if folder.merged:
        return "Some folders may differ from one shown here only in letter case. Sort by time to see them all."
    if folder.whole or not folder.entries:
        return ""
    mixed = "folders and objects mixed, ignoring case" if folder.query.sort.column == "name" else "folders first"
    return f"Sorted by the service: {mixed}."


def contents(folder: Folder, sizes: Sizes | None) -> str:
    """The totals of the folder, from the index."""
    if not sizes or not sizes.here:
        return ""
    objects, size = sizes.here
    place = "folder" if folder.query.path else "bucket"
    return f"Total in this {place}: {counted(objects, 'object')}, {bytes_text(size)}"


@dataclass(frozen=True, slots=True)
class Beyond:
    """A checkbox of the selection bar that selects more than is shown, and the search that "all" stands for."""

    name: str
    value: str
    label: str
    filter: str = ""


def beyond(folder: Folder, sizes: Sizes | None) -> Beyond | None:
    """The folder itself, or the whole bucket if it is indexed."""
    query = folder.query
    if query.search or not folder.entries or (not folder.more and not query.offset):
        return None
    if query.path:
        return Beyond("folder", query.path, "Everything in this folder")
    return Beyond("all", "1", "Everything in this bucket", EVERYTHING) if sizes else None


def by_size(query: Query, space: str, bucket: str) -> str:
    """The search that sorts this folder by size, which S13 can't."""
    asked = f"path:{quoted(query.path)}" if query.path else EVERYTHING
    words = urlencode({"q": asked, "sort": "-size"})
    return f"{reverse('search:index', kwargs={'space': space, 'bucket': bucket})}?{words}"
