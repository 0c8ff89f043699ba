"""Crawl: a job that reads a whole bucket into the catalog. It lists every folder, deletes rows not seen again, and counts.

The frontier is in the table of folders and advances in the transaction that saves a page's rows, so a killed worker loses
nothing. A page that lists the same as in the last crawl writes no rows. Several folders are listed in parallel. A folder that
changed between two of its pages is listed again. Our own writes during a crawl are more recent than any page (`Trace`).
"""

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from dashboard.catalog.folder_pages import Page, left_of, request_pages
from dashboard.catalog.keys import folder_of, is_pending
from dashboard.catalog.models import Catalog, Folder, Indexed, Trace
from dashboard.catalog.walk import list_page
from dashboard.catalog.writes import batches, fits, folder_ids, mark, upsert
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound
from dashboard.jobs.batch import Batch, Stop
from dashboard.jobs.models import ENDED, Job
from dashboard.jobs.transitions import start
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.takeover import Takeover
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import later

CRAWL = "crawl bucket"
AT_ONCE = 8
ASKED_AT_ONCE = 32
# Rows. Saving has a price of its own; all of them are in memory.
SAVED_AT_ONCE = 5000
STEP_SECONDS = 2.0
SWEPT_AT_ONCE = 900
COUNTED_AT_ONCE = 500
REPLACED = "The token was replaced, and the new one may see other objects. Crawl the bucket again."
# Allows for clock skew, and for answers that arrive a moment after the write.
SLACK = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Begun:
    """The crawl of a bucket. `joined`: it was already running."""

    job: Job
    joined: bool


def begin(workspace: Workspace, space: str, bucket: str, *, back: str = "") -> Begun:
    """Start a crawl, or join the one that is running with the same token."""
    workspace.require(Kind.STORAGE, space)
    token = workspace.fingerprint(Kind.STORAGE, space)
    with transaction.atomic():
        found, _ = Catalog.objects.get_or_create(space=space, bucket=bucket, token=token)
        catalog = Catalog.objects.select_for_update().get(pk=found.pk)
        if catalog.job and catalog.job.state not in ENDED:
            return Begun(catalog.job, joined=True)
        catalog.crawl += 1
        catalog.begun_at, catalog.left_out = datetime.now(UTC), 0
        catalog.job = start(
            workspace,
            CRAWL,
            title=f"Count {bucket} and make it searchable",
            place=space,
            back=back,
            parameters={"catalog": catalog.pk, "space": space, "bucket": bucket, "crawl": catalog.crawl},
            cursor={"phase": "access"},
        )
        catalog.save(update_fields=("crawl", "begun_at", "left_out", "job"))
        Trace.objects.filter(catalog=catalog).delete()
        catalog.folders.filter(listed=False).update(listed=True)
        if catalog.as_of is None:
            # Rows may be missing.
            catalog.folders.update(digests=None)
        root = {"crawl": catalog.crawl, "listed": False, "offset": 0, "last": "", "restarts": 0}
        Folder.objects.update_or_create(catalog=catalog, path="", defaults=root)
    return Begun(catalog.job, joined=False)


def indexes_of(person: Person) -> QuerySet[Catalog]:
    """Return the catalogs that only this person's own tokens can use."""
    own = StoredToken.objects.filter(person=person, kind=Kind.STORAGE)
    others = StoredToken.objects.exclude(person=person).filter(person__is_active=True)
    mine = own.exclude(fingerprint__in=others.values("fingerprint")).values("fingerprint")
    return Catalog.objects.filter(token__in=mine, as_of__isnull=False)


def hand_over(person: Person, receiver: Person) -> int:
    """Recrawl a person's catalogs with the receiver's tokens, if these can read the same buckets. Return how many.

    The person's own catalogs stay: each belongs to a token.
    """
    takeover, workspace = Takeover(person, receiver), Workspace(receiver, grants=())
    found = [index for index in indexes_of(person) if takeover.allows(Kind.STORAGE, index.space)]
    for index in found:
        token = workspace.fingerprint(Kind.STORAGE, index.space)
        if not Catalog.objects.filter(space=index.space, bucket=index.bucket, token=token, as_of__isnull=False).exists():
            begin(workspace, index.space, index.bucket)
    return len(found)


def step(workspace: Workspace, batch: Batch) -> None:
    """Advance by cursor: check access, list, sweep, count."""
    storage = workspace.storage(batch.parameters["space"])
    catalog = _catalog(batch)
    if workspace.fingerprint(Kind.STORAGE, catalog.space) != catalog.token:
        raise Stop(REPLACED)
    match batch.cursor["phase"]:
        case "access":
            _check_access(storage, catalog)
            batch.advance({"phase": "list"})
        case "list":
            _list(storage, catalog, batch)
        case "sweep":
            after = sweep(catalog, batch.cursor["after"])
            batch.advance({"phase": "count", "after": None} if after is None else {"phase": "sweep", "after": after})
        case _:
            path = count(catalog, batch.cursor["after"])
            if path is None:
                finish(catalog)
            batch.advance(None if path is None else {"phase": "count", "after": path})


def _catalog(batch: Batch) -> Catalog:
    """Return the catalog that this crawl fills. Raises `Stop` if it is gone or another crawl took over."""
    catalog = Catalog.objects.filter(pk=batch.parameters["catalog"]).first()
    if catalog is None:
        raise Stop("The bucket was deleted.")
    if catalog.crawl != batch.parameters["crawl"]:
        raise Stop("Another crawl of this bucket was started.")
    return catalog


def _check_access(storage: StorageInterface, catalog: Catalog) -> None:
    """S4: raise if the token can't read the bucket, since S13 would show it as empty."""
    try:
        storage.buckets.get(catalog.bucket)
    except (NotFound, NotAllowed):
        if not list_page(storage, catalog.bucket, "").names:
            raise


def _list(storage: StorageInterface, catalog: Catalog, batch: Batch) -> None:
    """List folders for a few seconds. Raises errors at the end."""
    until = time.monotonic() + STEP_SECONDS
    waiting: list[Folder] = []
    running: dict[Future[list[Page]], list[Folder]] = {}
    pages: list[Page] = []
    refused: InterfaceError | None = None
    seen, most, is_more = 0, batch.cursor.get("most", 0), True

    def goes_on() -> bool:
        return refused is None and not batch.stopping and time.monotonic() < until

    request = partial(request_pages, storage, catalog.bucket, goes_on)
    while True:
        going = goes_on()
        # Before pages are saved, so that the service has something to do.
        while going and waiting and len(running) < AT_ONCE:
            rows = SAVED_AT_ONCE // AT_ONCE if running or waiting[1:] else SAVED_AT_ONCE
            share = -(-len(waiting) // (AT_ONCE - len(running)))
            some, waiting = waiting[:share], waiting[share:]
            running[later(partial(request, some, most=most, rows=rows))] = some
        if pages and (not (going and running) or _is_due(pages, waiting)):
            seen += _save(catalog, pages)
            pages, is_more = [], True
        if going and is_more and not waiting:
            requested = [folder for some in running.values() for folder in some]
            waiting = _next(catalog, [*requested, *(page.folder for page in pages)])
            is_more = len(waiting) == ASKED_AT_ONCE
            continue
        if not running:
            break
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            requested = running.pop(future)
            try:
                found = future.result()
            except InterfaceError as error:
                refused = refused or error
                continue
            pages += found
            most = max(most, *(len(page.listing.rows) for page in found))
            waiting = [*left_of(requested, found), *waiting]
    is_listed = not refused and not _frontier(catalog).exists()
    batch.advance({"phase": "sweep", "after": 0} if is_listed else {**batch.cursor, "most": most}, seen=seen)
    if refused:
        raise refused


def _is_due(pages: list[Page], waiting: list[Folder]) -> bool:
    """Whether to save these pages: there are enough of them, or they name folders and nothing else waits."""
    is_enough = len(pages) >= ASKED_AT_ONCE or sum(len(page.listing.rows) for page in pages) >= SAVED_AT_ONCE
    return is_enough or (not waiting and any(page.listing.folders for page in pages))


def _next(catalog: Catalog, taken: Iterable[Folder]) -> list[Folder]:
    return list(_frontier(catalog).exclude(pk__in={folder.pk for folder in taken})[:ASKED_AT_ONCE])


def _frontier(catalog: Catalog) -> QuerySet[Folder]:
    return catalog.folders.filter(listed=False).order_by("pk")


def _save(catalog: Catalog, pages: list[Page]) -> int:
    """Save pages and advance their folders, in one transaction. Return the number of objects listed."""
    with transaction.atomic():
        locked = lock(catalog)
        now = {folder.pk: folder for folder in Folder.objects.filter(pk__in={page.folder.pk for page in pages})}
        # Pages requested before their folder was emptied or restarted are stale.
        due: dict[int, int | None] = {pk: folder.offset for pk, folder in now.items()}
        good: list[Page] = []
        for page in pages:
            if due.get(page.folder.pk) == page.offset:
                good.append(page)
                due[page.folder.pk] = page.listing.next_offset
        whole = [page for page in good if not page.shifted]
        _write(locked, _changed(locked, whole, now), now)
        _discover(locked, [path for page in whole for path in page.listing.folders if not is_pending(path)])
        _advance(locked, good)
    return sum(len(page.listing.keys) for page in whole)


def _changed(catalog: Catalog, pages: list[Page], now: Mapping[int, Folder]) -> list[Page]:
    """Return the pages that may list something else than is indexed. Marks what the others list if they are not alone."""
    same = [page for page in pages if (now[page.folder.pk].digests or {}).get(str(page.offset)) == page.digest]
    alone = Indexed.objects.filter(folder__in=[page.folder.pk for page in same if page.is_alone])
    held = dict(alone.order_by().values_list("folder").annotate(Count("pk")))
    known = {
        (page.folder.pk, page.offset)
        for page in same
        if (held.get(page.folder.pk, 0) if page.is_alone else mark(catalog, page.listing.keys)) == len(page.listing.keys)
    }
    return [page for page in pages if (page.folder.pk, page.offset) not in known]


def _write(catalog: Catalog, pages: list[Page], now: Mapping[int, Folder]) -> None:
    """Write the objects of pages, and what tells the next crawl that these are the same."""
    newer = _written_since(catalog, pages)
    entries = [entry for page in pages for entry in page.listing.entries if entry.key not in newer]
    kept = {entry.key: (entry, folder_of(entry.key)) for entry in entries if fits(entry)}
    ids = {page.folder.path: page.folder.pk for page in pages}
    # The service merges folders that differ only in case.
    ids |= folder_ids(catalog, {folder for _, folder in kept.values()} - ids.keys())
    upsert(catalog, ((entry, ids[folder]) for entry, folder in kept.values()))
    for some in batches({page.folder.pk for page in pages} | {ids[folder] for _, folder in kept.values()}):
        Folder.objects.filter(pk__in=some, since__lt=catalog.crawl).update(since=catalog.crawl)
    for page in pages:
        path, folder = page.folder.path, now[page.folder.pk]
        is_exact = all(kept.get(key, (None, None))[1] == path for key in page.listing.keys)
        folder.digests = {**(folder.digests or {}), str(page.offset): page.digest if is_exact else ""}
    Folder.objects.bulk_update({now[page.folder.pk] for page in pages}, ["digests"])
    left_out = sum(not fits(entry) for entry in entries)
    if left_out:
        Catalog.objects.filter(pk=catalog.pk).update(left_out=catalog.left_out + left_out)


def _advance(catalog: Catalog, pages: list[Page]) -> None:
    last = {page.folder.pk: page for page in pages}
    ended = [pk for pk, page in last.items() if not page.shifted and page.listing.next_offset is None]
    Folder.objects.filter(pk__in=ended).update(listed=True, last="")
    followed = {page.folder.pk for page in pages if page.listing.next_offset is not None}
    Folder.objects.filter(pk__in=followed).update(since=catalog.crawl)
    for page in last.values():
        same = Folder.objects.filter(pk=page.folder.pk)
        if page.shifted:
            # Distrust rows from earlier pages, except our own writes.
            ours = Trace.objects.filter(catalog=catalog).values("key")
            alike = Folder.objects.filter(catalog=catalog, path__iexact=page.folder.path)
            Indexed.objects.filter(folder__in=alike).exclude(key__in=ours).update(crawl=0)
            same.update(offset=0, last="", restarts=page.folder.restarts + 1, digests=None)
        elif page.listing.next_offset is not None:
            same.update(offset=page.listing.next_offset, last=page.listing.names[-1])


def _written_since(catalog: Catalog, pages: list[Page]) -> set[str]:
    """Return keys that we wrote or deleted after one of the pages was requested."""
    if not pages:
        return set()
    since = min(page.asked_at for page in pages) - SLACK
    return set(Trace.objects.filter(catalog=catalog, at__gte=since).values_list("key", flat=True))


def _discover(catalog: Catalog, paths: list[str]) -> None:
    """Add folders that this crawl has not seen yet to the frontier."""
    seen: set[str] = set()
    for some in batches(paths):
        seen |= set(catalog.folders.filter(path__in=some, crawl=catalog.crawl).values_list("path", flat=True))
    new = [path for path in dict.fromkeys(paths) if path not in seen]
    Folder.objects.bulk_create(
        [Folder(catalog=catalog, path=path, crawl=catalog.crawl, listed=False) for path in new],
        update_conflicts=True,
        unique_fields=["catalog", "path"],
        update_fields=["crawl", "listed", "offset", "last", "restarts"],
    )


def lock(catalog: Catalog) -> Catalog:
    """Lock the catalog for the current transaction."""
    found = Catalog.objects.select_for_update().filter(pk=catalog.pk, crawl=catalog.crawl).first()
    if found is None:
        raise Stop("Another crawl of this bucket was started, or the bucket was deleted.")
    return found


def sweep(catalog: Catalog, after: int) -> int | None:
    """Delete rows that this crawl did not see. Return the cursor; None at the end."""
    until = time.monotonic() + STEP_SECONDS
    is_gone = Q(crawl__lt=F("folder__since")) | Q(folder__crawl__lt=catalog.crawl)
    rows = Indexed.objects.filter(is_gone, catalog=catalog)
    while pks := list(rows.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:SWEPT_AT_ONCE]):
        with transaction.atomic():
            lock(catalog)
            rows.filter(pk__in=pks).delete()
        after = pks[-1]
        if time.monotonic() > until:
            return after
    folders = catalog.folders.filter(crawl__lt=catalog.crawl)
    while some := list(folders.values_list("pk", flat=True)[:SWEPT_AT_ONCE]):
        with transaction.atomic():
            lock(catalog)
            folders.filter(pk__in=some).delete()
    return None


def count(catalog: Catalog, after: str | None) -> str | None:
    """Count objects and bytes directly in each folder. Return the cursor; None at the end."""
    until = time.monotonic() + STEP_SECONDS
    held = Indexed.objects.filter(folder=OuterRef("pk"), is_marker=False).order_by().values("folder")
    number, size = held.annotate(value=Count("pk")).values("value"), held.annotate(value=Sum("size")).values("value")
    folders = catalog.folders.order_by("path")
    while True:
        some = list((folders if after is None else folders.filter(path__gt=after)).values_list("pk", "path")[:COUNTED_AT_ONCE])
        if not some:
            return None
        with transaction.atomic():
            lock(catalog)
            sums = {"count": Coalesce(Subquery(number), 0), "bytes": Coalesce(Subquery(size), 0)}
            Folder.objects.filter(pk__in=[pk for pk, _ in some]).update(**sums)
        after = some[-1][1]
        if time.monotonic() > until:
            return after


def finish(catalog: Catalog) -> None:
    """Mark this crawl as finished, so that searches show its results."""
    with transaction.atomic():
        locked = lock(catalog)
        held = Indexed.objects.filter(catalog=locked, is_marker=False)
        sums = held.aggregate(count=Count("pk"), size=Sum("size"), newest=Max("updated_at"))
        locked.count, locked.bytes, locked.newest = sums["count"], sums["size"] or 0, sums["newest"]
        locked.folder_count = locked.folders.exclude(path="").count()
        locked.as_of, locked.begun_at, locked.job = locked.begun_at or locked.as_of, None, None
        locked.save()
        Trace.objects.filter(catalog=locked).delete()
