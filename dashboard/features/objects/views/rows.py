"""Rows of a list and lines of a panel, every cell ready to print: filters and addresses in a loop cost eight times as much."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote

from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.keys import printable
from dashboard.features.objects.services.browse import Folder, Sizes
from dashboard.interfaces.storage.records import StoredObject
from dashboard.web.text import bytes_text, exact, halves, relative

NAMELESS = "(no name)"
BLOCK = 50
# What a dialog of the object browser needs on a page of its own.


class Row(NamedTuple):
    """One entry, every cell a text, for `{% each %}`.

    `box` is the name of its checkbox ("key" or "folder"), `value` its key, or its path with the slash. `at` is "" for folders,
    `note` says where a folder's size comes from.
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


def blocks(folder: Folder, sizes: Sizes | None = None) -> list[list[Row]]:
    """The entries of one page by fifties: what is in sight is laid out block by block. One block at least."""
    found = list(rows(folder, sizes))
    return [found[at : at + BLOCK] for at in range(0, max(1, len(found)), BLOCK)]


def rows(folder: Folder, sizes: Sizes | None = None) -> Iterator[Row]:
    """The entries of one page; their addresses are relative to the bucket's."""
    known = _known(sizes)
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
            href = f"?path={path}{quoted}%2F{down}"
            count, words, note = known.get(f"{key}/", ("", "", ""))
            yield Row("folder", f"{key}/", name, head, tail, href, count, words, note, "Folder", "", "", False)
            continue
        shown = _time(entry, query.sort)
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


def _time(entry: StoredObject, sort: str) -> datetime | None:
    """That which sorts the list, otherwise when it changed."""
    match sort:
        case "created":
            return entry.created_at
        case "accessed":
            return entry.last_accessed_at
        case _:
            return entry.updated_at or entry.created_at


def _known(sizes: Sizes | None) -> dict[str, tuple[str, str, str]]:
    """Of each folder: bytes, the same in words, and where that is known from."""
    if sizes is None:
        return {}
    as_of = exact(sizes.as_of)
    return {
        path: (str(size), bytes_text(size), f"{objects:,} object{'' if objects == 1 else 's'}, as of {as_of}")
        for path, (objects, size) in sizes.inside.items()
    }


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
