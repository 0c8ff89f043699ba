"""What our own writes change in the index: called after their success, in the thread that has the database.

Cheap where the bucket is not indexed. What is added goes only to the index of the token that wrote, what is gone leaves every
index of the bucket. A failure of the database here is logged and nothing else: the write itself has been done.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from typing import ParamSpec

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from dashboard.catalog.entries import batches, change
from dashboard.catalog.models import Catalog, Folder, Indexed
from dashboard.catalog.retention import forget
from dashboard.catalog.walk import Entry
from dashboard.jobs.retention import delete_some
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

log = logging.getLogger(__name__)

P = ParamSpec("P")


def _quietly(write: Callable[P, None]) -> Callable[P, None]:
    @wraps(write)
    def inner(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            write(*args, **kwargs)
        except DatabaseError:
            log.exception("A write could not be entered into the index; the next crawl will tell.")

    return inner


@_quietly
def stored(workspace: Workspace, space: str, bucket: str, key: str, *, size: int | None, mimetype: str | None) -> None:
    """An object was uploaded, new or in place of another."""
    now = datetime.now(UTC)
    for catalog in _locked(space, bucket, token=workspace.fingerprint(Kind.STORAGE, space)):
        before = Indexed.objects.filter(catalog=catalog, key=key).values_list("created_at", flat=True).first()
        entry = Entry(key, size=size, mimetype=mimetype, created_at=before or now, updated_at=now, accessed_at=now)
        change(catalog, came=[entry], at=now)


@_quietly
def removed(workspace: Workspace, space: str, bucket: str, keys: Collection[str]) -> None:  # noqa: ARG001 - all writes are told alike
    """Objects were deleted."""
    now = datetime.now(UTC)
    for catalog in _locked(space, bucket):
        change(catalog, gone=keys, at=now)


@_quietly
def moved(
    workspace: Workspace,
    space: str,
    bucket: str,
    pairs: Mapping[str, str],
    *,
    destination_bucket: str | None = None,
    sizes: Mapping[str, int | None] | None = None,
) -> None:
    """Objects were moved: `pairs` maps their former keys to the new ones. `sizes` in bytes by former key."""
    now = datetime.now(UTC)
    came = _under_new_names(workspace, space, bucket, pairs, sizes=sizes or {}, now=now, copies=False)
    target = destination_bucket or bucket
    gone = pairs.keys() - set(pairs.values()) if target == bucket else pairs.keys()
    token = workspace.fingerprint(Kind.STORAGE, space)
    for catalog in _locked(space, bucket, target):
        here = came if catalog.bucket == target and catalog.token == token else []
        change(catalog, gone=gone if catalog.bucket == bucket else (), came=here, at=now)


@_quietly
def copied(
    workspace: Workspace,
    space: str,
    bucket: str,
    pairs: Mapping[str, str],
    *,
    destination_bucket: str | None = None,
    sizes: Mapping[str, int | None] | None = None,
) -> None:
    """Objects were copied: `pairs` maps their keys to those of the copies. `sizes` as for `moved`."""
    now = datetime.now(UTC)
    came = _under_new_names(workspace, space, bucket, pairs, sizes=sizes or {}, now=now, copies=True)
    for catalog in _locked(space, destination_bucket or bucket, token=workspace.fingerprint(Kind.STORAGE, space)):
        change(catalog, came=came, at=now)


@_quietly
def emptied(workspace: Workspace, space: str, bucket: str) -> None:  # noqa: ARG001 - all writes are told alike
    """Nothing is left in the bucket."""
    while delete_some(Indexed.objects.filter(catalog__in=_catalogs(space, bucket))):
        pass
    for catalog in _locked(space, bucket):
        Folder.objects.filter(catalog=catalog).delete()
        # A crawl begins again: what its pages said before does not hold.
        Folder.objects.create(catalog=catalog, path="", count=0, crawl=catalog.crawl, listed=not catalog.is_crawled)
        Catalog.objects.filter(pk=catalog.pk).update(count=0, bytes=0, folder_count=0, left_out=0, newest=None)


@_quietly
def forgotten(workspace: Workspace, space: str, bucket: str) -> None:  # noqa: ARG001 - all writes are told alike
    """The bucket itself is gone."""
    for catalog in list(_catalogs(space, bucket)):
        forget(catalog)


def _catalogs(space: str, *buckets: str) -> QuerySet[Catalog]:
    return Catalog.objects.filter(space=space, bucket__in=buckets)


def _locked(space: str, *buckets: str, token: str | None = None) -> Iterator[Catalog]:
    """The catalogs of these buckets, of one token or of all, one after the other in a transaction of its own.

    Always in the same order: a job holds them all until its outcomes are written, and two jobs must not wait for each other.
    """
    found = _catalogs(space, *buckets)
    if token is not None:
        found = found.filter(token=token)
    for pk in list(found.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            catalog = Catalog.objects.select_for_update().filter(pk=pk).first()
            if catalog:
                yield catalog


def _under_new_names(
    workspace: Workspace,
    space: str,
    bucket: str,
    pairs: Mapping[str, str],
    *,
    sizes: Mapping[str, int | None],
    now: datetime,
    copies: bool,
) -> list[Entry]:
    """What is known of the objects, by their new keys. Of one that was not indexed only key and size are known."""
    known: dict[str, Indexed] = {}
    token = workspace.fingerprint(Kind.STORAGE, space)
    for keys in batches(pairs):
        rows = Indexed.objects.filter(catalog__space=space, catalog__bucket=bucket, catalog__token=token, key__in=keys)
        known |= {row.key: row for row in rows}
    return [_entry(known.get(old), new, sizes.get(old), now, copied=copies) for old, new in pairs.items()]


def _entry(row: Indexed | None, key: str, size: int | None, now: datetime, *, copied: bool) -> Entry:
    if row is None:
        return Entry(key, size=size, created_at=now, updated_at=now, accessed_at=now)
    entry = Entry(
        key,
        size=row.size,
        mimetype=row.mimetype,
        etag=row.etag,
        created_at=row.created_at,
        updated_at=now,
        accessed_at=row.accessed_at,
    )
    return replace(entry, created_at=now, accessed_at=now) if copied else entry
