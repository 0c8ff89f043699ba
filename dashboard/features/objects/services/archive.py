"""Collect the objects of a selection for a ZIP or a list of signed links."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice

from dashboard.catalog.archive_names import Names, base_of
from dashboard.catalog.contents import Limits, count, inside
from dashboard.catalog.keys import name_of
from dashboard.catalog.link_export import Linked
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry
from dashboard.features.objects.services.links import AT_ONCE, create_links
from dashboard.tokens.workspace import Workspace

MOST_OBJECTS = 10_000
# At most this many S13 calls per request.
MOST_LISTS = 500
MOST_PAGES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The files of an archive, as (entry, name). `too_many`: counting stopped; `unknown`: number of objects of unknown size."""

    files: list[tuple[Entry, str]] = field(default_factory=list)
    bytes: int = 0
    renamed: int = 0
    missing: int = 0
    unknown: int = 0
    too_many: bool = False

    @property
    def fits(self) -> bool:
        """Whether it can be packed. That requires its length before the first byte."""
        return bool(self.files) and not self.too_many and not self.unknown


def gather(workspace: Workspace, selection: Selection, *, reserved: Sequence[str]) -> Gathered:
    """Collect everything selected (S13), up to 10,000 objects or 500 lists. No object gets a name in `reserved`."""
    limits = Limits(objects=MOST_OBJECTS, lists=MOST_LISTS, pages=MOST_PAGES, lookups=MOST_OBJECTS)
    contents = count(workspace, selection, limits=limits)
    if contents is None:
        return Gathered(too_many=True)
    found, base = contents.found, base_of(selection)
    names = Names(base=base, taken=reserved).give([entry.key for entry in found])
    return Gathered(
        files=list(zip(found, names, strict=True)),
        bytes=sum(entry.size or 0 for entry in found),
        renamed=sum(name != entry.key.removeprefix(base) for entry, name in zip(found, names, strict=True)),
        missing=len(contents.missing),
        unknown=sum(entry.size is None for entry in found),
    )


def title_of(selection: Selection) -> str:
    """Name the selection after its folder, else its bucket."""
    if len(selection.folders) == 1 and not selection.keys:
        return name_of(selection.folders[0].rstrip("/")) or selection.bucket
    return name_of(base_of(selection).rstrip("/")) or selection.bucket


def linked(workspace: Workspace, selection: Selection, *, ends_at: datetime, base: str) -> Iterator[Linked]:
    """Yield every object with a signed link: S13 for folders, S15 per 1,000 objects, each call with a journal entry."""
    names = Names(base=base_of(selection))
    # Objects selected by key have no known size.
    found = chain(chain.from_iterable(inside(workspace, selection)), (Entry(key) for key in selection.keys))
    while batch := list(islice(found, AT_ONCE)):
        keys = [entry.key for entry in batch]
        created = create_links(workspace, selection.space, selection.bucket, keys, ends_at=ends_at, base=base)
        for entry, name, link in zip(batch, names.give(keys), created.links, strict=True):
            yield Linked(entry, name, link.address, link.refusal)
