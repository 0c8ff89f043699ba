"""Read a whole bucket into the index, as a job: list every folder, sweep what was not seen again, count.

What is still to be listed stands in the table of folders and moves on with the rows it brought, in one transaction: a worker
killed at any point loses nothing and does nothing twice. Several folders are asked for side by side. A folder that changed
between two of its pages is listed anew; what we wrote ourselves meanwhile is known better than any page (`Trace`).
"""

import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from dashboard.catalog.crawl_end import STEP_SECONDS, count, finish, lock, sweep
from dashboard.catalog.entries import batches, fits, folder_ids, upsert
from dashboard.catalog.keys import folder_of
from dashboard.catalog.models import Catalog, Folder, Indexed, Trace
from dashboard.catalog.walk import Listing, list_page
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound
from dashboard.jobs.batch import Batch, Stop
from dashboard.jobs.models import ENDED, Job
from dashboard.jobs.transitions import start
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.parallel import later

CRAWL = "crawl bucket"
AT_ONCE = 8
MOST_RESTARTS = 5
REPLACED = "The token that began to read it was replaced meanwhile, and another one may see something else. Read it again."
# Clocks of two machines, and a write that was answered a moment after it was done.
SLACK = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Begun:
    """The crawl of a bucket; `joined`: it was under way already."""

    job: Job
    joined: bool


def begin(workspace: Workspace, space: str, bucket: str, *, back: str = "") -> Begun:
    """Start the crawl of a bucket, or join the one that is under way with the same token: there is never a second."""
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
            title=f"Read all of {bucket}",
            place=space,
            back=back,
            parameters={"catalog": catalog.pk, "space": space, "bucket": bucket, "crawl": catalog.crawl},
            cursor={"phase": "look"},
        )
        catalog.save(update_fields=("crawl", "begun_at", "left_out", "job"))
        Trace.objects.filter(catalog=catalog).delete()
        catalog.folders.filter(listed=False).update(listed=True)
        root = {"crawl": catalog.crawl, "listed": False, "offset": 0, "last": "", "restarts": 0}
        Folder.objects.update_or_create(catalog=catalog, path="", defaults=root)
    return Begun(catalog.job, joined=False)


def step(workspace: Workspace, batch: Batch) -> None:
    """One stretch of it, by cursor: look, list, sweep, count."""
    storage = workspace.storage(batch.parameters["space"])
    catalog = _catalog(batch)
    if workspace.fingerprint(Kind.STORAGE, catalog.space) != catalog.token:
        raise Stop(REPLACED)
    match batch.cursor["phase"]:
        case "look":
            _look(storage, catalog)
            batch.advance({"phase": "list"})
        case "list":
            ended, seen = _list(storage, catalog, batch)
            batch.advance({"phase": "sweep", "after": 0} if ended else batch.cursor, seen=seen)
        case "sweep":
            after = sweep(catalog, batch.cursor["after"])
            batch.advance({"phase": "count", "after": None} if after is None else {"phase": "sweep", "after": after})
        case _:
            path = count(catalog, batch.cursor["after"])
            if path is None:
                finish(catalog)
            batch.advance(None if path is None else {"phase": "count", "after": path})


def _catalog(batch: Batch) -> Catalog:
    """The catalog that this crawl fills. Raises `Stop` when there is nothing to fill any more."""
    catalog = Catalog.objects.filter(pk=batch.parameters["catalog"]).first()
    if catalog is None:
        raise Stop("The bucket was deleted meanwhile.")
    if catalog.crawl != batch.parameters["crawl"]:
        raise Stop("Another crawl of this bucket was begun meanwhile.")
    return catalog


def _look(storage: StorageInterface, catalog: Catalog) -> None:
    """S4: a bucket that one may not look into answers empty lists, and must not be taken for an empty one."""
    try:
        storage.buckets.get(catalog.bucket)
    except (NotFound, NotAllowed):
        if not list_page(storage, catalog.bucket, "").names:
            raise


@dataclass(frozen=True, slots=True)
class Page:
    """What came for a folder that stood at `offset`. `shifted`: it does not join on to the page before."""

    folder: Folder
    offset: int
    asked_at: datetime
    listing: Listing
    shifted: bool


def _ask(storage: StorageInterface, bucket: str, folder: Folder) -> Page:
    """S13, beginning with the last row of the page before."""
    offset, last = folder.offset, folder.last
    asked_at = datetime.now(UTC)
    listing = list_page(storage, bucket, folder.path, offset=max(0, offset - 1))
    joins = not offset or listing.names[:1] == [last]
    return Page(folder, offset, asked_at, listing, shifted=not joins and folder.restarts < MOST_RESTARTS)


def _list(storage: StorageInterface, catalog: Catalog, batch: Batch) -> tuple[bool, int]:
    """List folders for a while. Whether that was all, and how many objects came. What one of the calls raised goes up last."""
    until = time.monotonic() + STEP_SECONDS
    running: dict[Future[Page], Folder] = {}
    refused: InterfaceError | None = None
    seen = 0
    while True:
        going = refused is None and not batch.stopping and time.monotonic() < until
        if going and len(running) < AT_ONCE:
            for folder in _frontier(catalog).exclude(pk__in=[one.pk for one in running.values()])[: AT_ONCE - len(running)]:
                running[later(partial(_ask, storage, catalog.bucket, folder))] = folder
        if not running:
            break
        pages: list[Page] = []
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            folder = running.pop(future)
            try:
                pages.append(future.result())
            except InterfaceError as error:
                refused = refused or error
                continue
            # The next page is on its way while this one is written down.
            following = _following(pages[-1])
            if going and following:
                running[later(partial(_ask, storage, catalog.bucket, following))] = following
        seen += _enter(catalog, pages)
    if refused:
        batch.advance(batch.cursor, seen=seen)
        raise refused
    return not _frontier(catalog).exists(), seen


def _frontier(catalog: Catalog) -> QuerySet[Folder]:
    return catalog.folders.filter(listed=False).order_by("pk")


def _following(page: Page) -> Folder | None:
    """The folder as it will stand after this page; None where it ends, or begins anew."""
    if page.shifted or page.listing.next_offset is None:
        return None
    folder = page.folder
    return Folder(
        pk=folder.pk,
        catalog_id=folder.catalog_id,
        path=folder.path,
        restarts=folder.restarts,
        offset=page.listing.next_offset,
        last=page.listing.names[-1],
    )


def _enter(catalog: Catalog, pages: list[Page]) -> int:
    """Write pages down and move their folders on, in one transaction. How many objects they held."""
    with transaction.atomic():
        locked = lock(catalog)
        now = {folder.pk: folder for folder in Folder.objects.filter(pk__in=[page.folder.pk for page in pages])}
        # A folder that was emptied, or begins anew, has no use for a page that was asked for before.
        good = [page for page in pages if page.folder.pk in now and now[page.folder.pk].offset == page.offset]
        whole = [page for page in good if not page.shifted]
        newer = _written_since(locked, whole)
        entries = [entry for page in whole for entry in page.listing.entries if entry.key not in newer]
        kept = {entry.key: (entry, folder_of(entry.key)) for entry in entries if fits(entry)}
        ids = {page.folder.path: page.folder.pk for page in whole}
        # Of folders that differ in case alone the service shows one, and what lies in any of them.
        ids |= folder_ids(locked, {folder for _, folder in kept.values()} - ids.keys())
        upsert(locked, ((entry, ids[folder]) for entry, folder in kept.values()))
        _discover(locked, [path for page in whole for path in page.listing.folders])
        for page in good:
            _move_on(page)
        left_out = sum(not fits(entry) for entry in entries)
        if left_out:
            Catalog.objects.filter(pk=locked.pk).update(left_out=locked.left_out + left_out)
    return sum(len(page.listing.entries) for page in whole)


def _move_on(page: Page) -> None:
    same = Folder.objects.filter(pk=page.folder.pk)
    if page.shifted:
        # What its earlier pages told may be gone by now, but not what we wrote ourselves.
        ours = Trace.objects.filter(catalog=page.folder.catalog_id).values("key")
        alike = Folder.objects.filter(catalog=page.folder.catalog_id, path__iexact=page.folder.path)
        Indexed.objects.filter(folder__in=alike).exclude(key__in=ours).update(crawl=0)
        same.update(offset=0, last="", restarts=page.folder.restarts + 1)
    elif page.listing.next_offset is None:
        same.update(listed=True, last="")
    else:
        same.update(offset=page.listing.next_offset, last=page.listing.names[-1])


def _written_since(catalog: Catalog, pages: list[Page]) -> set[str]:
    """Keys that we wrote or deleted ourselves after one of the pages was asked for."""
    if not pages:
        return set()
    since = min(page.asked_at for page in pages) - SLACK
    return set(Trace.objects.filter(catalog=catalog, at__gte=since).values_list("key", flat=True))


def _discover(catalog: Catalog, paths: list[str]) -> None:
    """Put folders into the frontier that this crawl had not seen yet."""
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
