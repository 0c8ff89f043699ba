"""Rows put into a catalog and taken out again, with the sums that hang on them. Everything here stands in one transaction,
and the catalog's row is locked first: a crawl and our own writes take turns."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeVar

from django.db import connection
from django.db.models import F, Q

from dashboard.catalog.keys import folder_of, name_of, trail
from dashboard.catalog.models import ETAG_LIMIT, KEY_LIMIT, TYPE_LIMIT, Catalog, Folder, Indexed, Trace
from dashboard.catalog.walk import Entry

BATCH = 900
# A crawl is as fast as this: a model for each row takes five times as long.
_UPSERT = """
INSERT INTO catalog_indexed
  (catalog_id, folder_id, key, name, size, mimetype, etag, created_at, updated_at, accessed_at, is_marker, crawl)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (catalog_id, key) DO UPDATE SET
  folder_id = excluded.folder_id, size = excluded.size, mimetype = excluded.mimetype, etag = excluded.etag,
  created_at = excluded.created_at, updated_at = excluded.updated_at, accessed_at = excluded.accessed_at, crawl = excluded.crawl
"""

T = TypeVar("T")


def below(path: str, field: str = "key") -> Q:
    """Everything whose key (or path) begins with this folder."""
    if not path:
        return Q()
    return Q(**{f"{field}__gte": path, f"{field}__lt": beyond(path)})


def beyond(path: str) -> str:
    """The first text behind all that begin so."""
    return path[:-1] + chr(ord(path[-1]) + 1)


def batches(things: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    source = iter(things)
    while batch := list(islice(source, size)):
        yield batch


def fits(entry: Entry) -> bool:
    """Can it be kept? Keys beyond 1,200 characters can't be indexed; no backend of the real service takes them."""
    return len(entry.key) <= KEY_LIMIT


def upsert(catalog: Catalog, entries: Iterable[tuple[Entry, int]]) -> None:
    """Rows for these entries (with the id of their folder), the old ones overwritten, as seen by the present crawl."""
    at = connection.ops.adapt_datetimefield_value
    rows = [
        (
            catalog.pk,
            folder_id,
            entry.key,
            name_of(entry.key).lower(),
            entry.size,
            (entry.mimetype or "").replace("\0", "")[:TYPE_LIMIT],
            (entry.etag or "").replace("\0", "")[:ETAG_LIMIT],
            at(entry.created_at),
            at(entry.updated_at or entry.created_at),
            at(entry.accessed_at),
            entry.is_marker,
            catalog.crawl,
        )
        for entry, folder_id in entries
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_UPSERT, rows)


def change(catalog: Catalog, *, gone: Collection[str] = (), came: Sequence[Entry] = (), at: datetime) -> None:
    """What a write of our own did, in a locked catalog: rows, sums, folders that appeared or emptied, and traces for a crawl."""
    came = [entry for entry in came if fits(entry)]
    counts: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for old in _known(catalog, [*gone, *(entry.key for entry in came)]):
        counts[old.folder_id] -= not old.is_marker
        sizes[old.folder_id] -= old.size or 0
    for keys in batches(gone):
        Indexed.objects.filter(catalog=catalog, key__in=keys).delete()
    folders = folder_ids(catalog, {folder_of(entry.key) for entry in came})
    upsert(catalog, ((entry, folders[folder_of(entry.key)]) for entry in came))
    for entry in came:
        counts[folders[folder_of(entry.key)]] += not entry.is_marker
        sizes[folders[folder_of(entry.key)]] += entry.size or 0
    for folder_id in {*counts, *sizes}:
        sums = {"count": F("count") + counts[folder_id], "bytes": F("bytes") + sizes[folder_id]}
        Folder.objects.filter(pk=folder_id).update(**sums)
    _prune(catalog, {folder_of(key) for key in gone})
    newest = at if came else catalog.newest
    Catalog.objects.filter(pk=catalog.pk).update(
        count=F("count") + counts.total(), bytes=F("bytes") + sizes.total(), newest=newest
    )
    if catalog.is_crawled:
        traces = [Trace(catalog=catalog, key=key, at=at) for key in {*gone, *(entry.key for entry in came)}]
        Trace.objects.bulk_create(traces, update_conflicts=True, unique_fields=["catalog", "key"], update_fields=["at"])


def _known(catalog: Catalog, keys: Sequence[str]) -> Iterator[Indexed]:
    for some in batches(dict.fromkeys(keys)):
        yield from Indexed.objects.filter(catalog=catalog, key__in=some).only("folder_id", "size", "is_marker")


def folder_ids(catalog: Catalog, paths: Collection[str]) -> dict[str, int]:
    """The ids of these folders. Those that were not known appear with all above them, for the crawl to list if there is one."""
    wanted = {above for path in paths for above in ("", *(step for _, step in trail(path)))}
    known = set(_ids(catalog, wanted))
    new = [Folder(catalog=catalog, path=path, count=0, listed=not catalog.is_crawled) for path in wanted - known]
    if new:
        Folder.objects.bulk_create(new)
        Catalog.objects.filter(pk=catalog.pk).update(folder_count=F("folder_count") + sum(1 for folder in new if folder.path))
    ids = _ids(catalog, wanted)
    # What a crawl has not come to yet must not be swept away at its end.
    for some in batches(ids.values()):
        Folder.objects.filter(pk__in=some, crawl__lt=catalog.crawl).update(
            crawl=catalog.crawl, listed=not catalog.is_crawled, offset=0, last=""
        )
    return ids


def _ids(catalog: Catalog, paths: Collection[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for some in batches(paths):
        found |= dict(Folder.objects.filter(catalog=catalog, path__in=some).values_list("path", "pk"))
    return found


def _prune(catalog: Catalog, paths: Collection[str]) -> None:
    """Folders exist through their objects only: the emptied ones go, with those above that held nothing else."""
    emptied = 0
    for path in sorted(paths, key=len, reverse=True):
        place = path
        while place and not Indexed.objects.filter(below(place), catalog=catalog).exists():
            emptied += Folder.objects.filter(below(place, "path"), catalog=catalog).delete()[0]
            place = folder_of(place[:-1])
    if emptied:
        Catalog.objects.filter(pk=catalog.pk).update(folder_count=F("folder_count") - emptied)
