"""A list of presigned links: a script that fetches and resumes, CSV, or JSON. Written while the objects are being listed."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from dashboard.catalog.archive_names import Names, base_of
from dashboard.catalog.link_export import Lines, Linked
from dashboard.catalog.selection import Selection
from dashboard.features.objects.services.archive import entries
from dashboard.features.objects.services.links import give_links
from dashboard.tokens.workspace import Workspace

BATCH = 1000


def manifest(workspace: Workspace, selection: Selection, *, lines: Lines, ends_at: datetime, base: str) -> Iterator[bytes]:
    """The whole text in blocks. S13 for folders, and S15 for each 1,000 objects, written in the journal one by one."""
    linked = _linked(workspace, selection, ends_at, base)
    for line in lines(linked, selection.bucket, ends_at):
        yield line.encode()


def _linked(workspace: Workspace, selection: Selection, ends_at: datetime, base: str) -> Iterator[Linked]:
    names = Names(base=base_of(selection))
    found = entries(workspace, selection)
    while batch := list(islice(found, BATCH)):
        keys = [entry.key for entry in batch]
        given = give_links(workspace, selection.space, selection.bucket, keys, ends_at=ends_at, base=base)
        for entry, name, link in zip(batch, names.give(keys), given.links, strict=True):
            yield Linked(entry, name, link.address, link.refusal)
