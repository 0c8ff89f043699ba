"""The end of a crawl: what was not seen again is swept away, the rest is counted."""

import time

from django.db import transaction
from django.db.models import Count, Max, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from dashboard.catalog.models import Catalog, Folder, Indexed, Trace
from dashboard.jobs.batch import Stop

STEP_SECONDS = 2.0
SWEPT_AT_ONCE = 900
COUNTED_AT_ONCE = 500


def lock(catalog: Catalog) -> Catalog:
    """Inside a transaction: nobody else writes to this catalog until its end."""
    found = Catalog.objects.select_for_update().filter(pk=catalog.pk, crawl=catalog.crawl).first()
    if found is None:
        raise Stop("Another crawl of this bucket was begun, or the bucket was deleted.")
    return found


def sweep(catalog: Catalog, after: int) -> int | None:
    """Delete what a former crawl knew and this one did not see. Where to go on; None at the end."""
    until = time.monotonic() + STEP_SECONDS
    rows = Indexed.objects.filter(catalog=catalog, crawl__lt=catalog.crawl)
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
    """Objects and bytes right in each folder. The path to go on behind; None at the end."""
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
    """From now on the index tells of this crawl."""
    with transaction.atomic():
        locked = lock(catalog)
        held = Indexed.objects.filter(catalog=locked, is_marker=False)
        sums = held.aggregate(count=Count("pk"), size=Sum("size"), newest=Max("updated_at"))
        locked.count, locked.bytes, locked.newest = sums["count"], sums["size"] or 0, sums["newest"]
        locked.folder_count = locked.folders.exclude(path="").count()
        locked.as_of, locked.begun_at, locked.job = locked.begun_at or locked.as_of, None, None
        locked.save()
        Trace.objects.filter(catalog=locked).delete()
