"""Write the catalog's rows, for crawls and after our own changes in a bucket.

Call the functions for our own changes after their success, in a thread that may use the database. They cost little if the bucket
is not indexed. Added objects go to the catalog of the token that wrote them; deleted ones leave every catalog of the bucket.
Database errors are only logged, as the change itself has been made.

Rows, sums and folders change in one transaction that first locks the catalog's row, so crawls and our own writes take turns.
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import wraps
from itertools import islice
from typing import ParamSpec, TypeVar

import msgspec
from django.db import DatabaseError, connection, transaction
from django.db.models import F, QuerySet

from dashboard.catalog.keys import folder_of, is_pending, name_of, trail
from dashboard.catalog.models import ETAG_LIMIT, KEY_LIMIT, TYPE_LIMIT, Catalog, Folder, Indexed, Trace, UnkeptBucket
from dashboard.catalog.queries import below
from dashboard.catalog.retention import forget
from dashboard.catalog.walk import Entry
from dashboard.jobs.retention import delete_some
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

log = logging.getLogger(__name__)

BATCH = 900
# Plain SQL: a model instance per row takes five times as long.
_UPSERT = """
INSERT INTO catalog_indexed
  (catalog_id, folder_id, key, name, size, mimetype, etag, created_at, updated_at, is_marker, crawl)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (catalog_id, key) DO UPDATE SET
  folder_id = excluded.folder_id, size = excluded.size, mimetype = excluded.mimetype, etag = excluded.etag,
  created_at = excluded.created_at, updated_at = excluded.updated_at, crawl = excluded.crawl
"""
_MARK = "UPDATE catalog_indexed SET crawl = %s WHERE catalog_id = %s AND key IN (%s{})"

P = ParamSpec("P")
T = TypeVar("T")


def _log_database_errors(write: Callable[P, None]) -> Callable[P, None]:
    @wraps(write)
    def inner(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            write(*args, **kwargs)
        except DatabaseError:
            log.exception("A write could not be recorded in the catalog; the next crawl corrects it")

    return inner


@_log_database_errors
def stored(workspace: Workspace, space: str, bucket: str, key: str, *, size: int | None, mimetype: str | None) -> None:
    """Record an upload, of a new object or over an existing one."""
    _stored(workspace, space, bucket, [Entry(key, size=size, mimetype=mimetype)])


@_log_database_errors
def all_stored(workspace: Workspace, space: str, bucket: str, entries: Sequence[Entry]) -> None:
    """Record uploads, of new objects or over existing ones."""
    _stored(workspace, space, bucket, entries)


@_log_database_errors
def removed(space: str, bucket: str, keys: Collection[str]) -> None:
    """Record deleted objects."""
    now = datetime.now(UTC)
    for catalog in _locked(space, bucket):
        change(catalog, gone=keys, at=now)


@_log_database_errors
def transferred(
    workspace: Workspace,
    space: str,
    bucket: str,
    pairs: Mapping[str, str],
    *,
    destination_bucket: str | None = None,
    sizes: Mapping[str, int | None] | None = None,
    copies: bool = False,
) -> None:
    """Record moved or copied objects. `pairs` maps keys to the new ones, `sizes` keys to bytes."""
    now = datetime.now(UTC)
    came = _renamed(workspace, space, bucket, pairs, sizes=sizes or {}, now=now, copies=copies)
    target = destination_bucket or bucket
    gone = pairs.keys() - set(pairs.values()) if target == bucket else pairs.keys()
    mine = _seeing(workspace, space)
    if copies:
        for catalog in _locked(space, target, tokens=mine):
            change(catalog, came=came, at=now)
        return
    for catalog in _locked(space, bucket, target):
        here = came if catalog.bucket == target and catalog.token in mine else []
        change(catalog, gone=gone if catalog.bucket == bucket else (), came=here, at=now)


@_log_database_errors
def emptied(space: str, bucket: str) -> None:
    """Record that the bucket was emptied."""
    while delete_some(Indexed.objects.filter(catalog__in=_catalogs(space, bucket))):
        pass
    for catalog in _locked(space, bucket):
        Folder.objects.filter(catalog=catalog).delete()
        # A running crawl starts over: its earlier pages are out of date.
        Folder.objects.create(catalog=catalog, path="", count=0, crawl=catalog.crawl, listed=not catalog.is_crawled)
        as_of = catalog.as_of and datetime.now(UTC)
        Catalog.objects.filter(pk=catalog.pk).update(count=0, bytes=0, folder_count=0, left_out=0, newest=None, as_of=as_of)


@_log_database_errors
def forgotten(space: str, bucket: str) -> None:
    """Record that the bucket was deleted. A new one of its name begins with the trash on."""
    UnkeptBucket.objects.filter(space=space, bucket=bucket).delete()
    for catalog in list(_catalogs(space, bucket)):
        forget(catalog)


def _stored(workspace: Workspace, space: str, bucket: str, entries: Sequence[Entry]) -> None:
    now, keys = datetime.now(UTC), [entry.key for entry in entries]
    for catalog in _locked(space, bucket, tokens=_seeing(workspace, space)):
        before = dict(Indexed.objects.filter(catalog=catalog, key__in=keys).values_list("key", "created_at"))
        came = [msgspec.structs.replace(entry, created_at=before.get(entry.key, now), updated_at=now) for entry in entries]
        change(catalog, came=came, at=now)


def _catalogs(space: str, *buckets: str) -> QuerySet[Catalog]:
    return Catalog.objects.filter(space=space, bucket__in=buckets)


def _seeing(workspace: Workspace, space: str) -> tuple[str, ...]:
    """Return the tokens that see what is stored here: the person's, and the giver's if a grant is used."""
    granted = workspace.grant_at(Kind.STORAGE, space)
    return (workspace.fingerprint(Kind.STORAGE, space), *([granted.grant.token] if granted else []))


def _locked(space: str, *buckets: str, tokens: Collection[str] | None = None) -> Iterator[Catalog]:
    """Yield the catalogs of these buckets, each locked in a transaction, for some tokens or all.

    Always in the same order, so that two jobs can't deadlock: a job holds all locks until its outcomes are saved.
    """
    found = _catalogs(space, *buckets)
    if tokens is not None:
        found = found.filter(token__in=tokens)
    for pk in list(found.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            catalog = Catalog.objects.select_for_update().filter(pk=pk).first()
            if catalog:
                yield catalog


def _renamed(
    workspace: Workspace,
    space: str,
    bucket: str,
    pairs: Mapping[str, str],
    *,
    sizes: Mapping[str, int | None],
    now: datetime,
    copies: bool,
) -> list[Entry]:
    """Return entries under their new keys. For objects that were not indexed, only key and size are known."""
    known: dict[str, Indexed] = {}
    token = workspace.fingerprint(Kind.STORAGE, space)
    for keys in batches(pairs):
        rows = Indexed.objects.filter(catalog__space=space, catalog__bucket=bucket, catalog__token=token, key__in=keys)
        known |= {row.key: row for row in rows}
    return [_entry(known.get(old), new, sizes.get(old), now, copied=copies) for old, new in pairs.items()]


def _entry(row: Indexed | None, key: str, size: int | None, now: datetime, *, copied: bool) -> Entry:
    if row is None:
        return Entry(key, size=size, created_at=now, updated_at=now)
    entry = Entry(
        key,
        size=row.size,
        mimetype=row.mimetype,
        etag=row.etag,
        created_at=row.created_at,
        updated_at=now,
    )
    return msgspec.structs.replace(entry, created_at=now) if copied else entry


def batches(things: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    source = iter(things)
    while batch := list(islice(source, size)):
        yield batch


def fits(entry: Entry) -> bool:
    """Whether the key is short enough to be indexed. No backend of the real service accepts longer ones."""
    return len(entry.key) <= KEY_LIMIT


def upsert(catalog: Catalog, entries: Iterable[tuple[Entry, int]]) -> None:
    """Insert or overwrite rows for entries (with their folder ids), marked as seen by the current crawl."""
    at, pk = connection.ops.adapt_datetimefield_value, catalog.pk

    def times(entry: Entry) -> tuple[str | datetime | None, str | datetime | None]:
        created = at(entry.created_at)
        is_replaced = entry.updated_at and entry.updated_at != entry.created_at
        return created, at(entry.updated_at) if is_replaced else created

    rows = [
        (
            pk,
            folder_id,
            entry.key,
            name_of(entry.key).lower(),
            entry.size,
            (entry.mimetype or "").replace("\0", "")[:TYPE_LIMIT],
            (entry.etag or "").replace("\0", "")[:ETAG_LIMIT],
            *times(entry),
            entry.is_marker,
            catalog.crawl,
        )
        for entry, folder_id in entries
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_UPSERT, rows)


def mark(catalog: Catalog, keys: Iterable[str]) -> int:
    """Mark rows as seen by the current crawl. Return how many there are."""
    marked = 0
    with connection.cursor() as cursor:
        for some in batches(keys):
            # One statement for each key takes twice as long.
            cursor.execute(_MARK.format(", %s" * (len(some) - 1)), [catalog.crawl, catalog.pk, *some])
            marked += cursor.rowcount
    return marked


def change(catalog: Catalog, *, gone: Collection[str] = (), came: Sequence[Entry] = (), at: datetime) -> None:
    """Apply one of our own writes to a locked catalog: rows, sums, folders, and traces for a running crawl."""
    came = [entry for entry in came if fits(entry) and not is_pending(entry.key)]
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
        Folder.objects.filter(pk=folder_id).update(**sums, digests=None)
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
    """Return the ids of these folders. New ones are inserted with their parents, for a running crawl to list."""
    wanted = {above for path in paths for above in ("", *(step for _, step in trail(path)))}
    known = set(_ids(catalog, wanted))
    new = [Folder(catalog=catalog, path=path, count=0, listed=not catalog.is_crawled) for path in wanted - known]
    if new:
        Folder.objects.bulk_create(new)
        Catalog.objects.filter(pk=catalog.pk).update(folder_count=F("folder_count") + sum(1 for folder in new if folder.path))
    ids = _ids(catalog, wanted)
    # Mark them as seen, or the running crawl would delete them at its end.
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
    """Delete folders that became empty, and parents that contained nothing else."""
    emptied = 0
    for path in sorted(paths, key=len, reverse=True):
        place = path
        while place and not Indexed.objects.filter(below(place), catalog=catalog).exists():
            emptied += Folder.objects.filter(below(place, "path"), catalog=catalog).delete()[0]
            place = folder_of(place[:-1])
    if emptied:
        Catalog.objects.filter(pk=catalog.pk).update(folder_count=F("folder_count") - emptied)
