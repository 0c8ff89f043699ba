"""Archive old activity: `ACTIVITY_DAYS` after its day, an entry is written to a file in the data folder, then deleted.

A file holds entries that began on one day as gzip'ed JSON lines. It is complete on disk before they are deleted, inside the
transaction that locks them, so only one worker does it. After a crash in between, the same file is written again.
"""

import gzip
import json
import logging
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone

from dashboard.journal.models import Entry, Outcome
from dashboard.web.failures.operations import words

log = logging.getLogger(__name__)

FOLDER = "activity"
MOST_ROWS = 2000


def prune() -> None:
    """Archive and delete a batch of entries older than `ACTIVITY_DAYS`. Entries that are open or being checked stay."""
    if not settings.ACTIVITY_DAYS:
        return
    end = datetime.combine(timezone.now().astimezone(UTC).date() - timedelta(days=settings.ACTIVITY_DAYS), time.min, UTC)
    if not (due := _due(end)):
        return
    day, pks = due
    try:
        with transaction.atomic():
            locked = Entry.objects.filter(pk__in=pks).select_related("person", "through").order_by("pk")
            if entries := list(locked.select_for_update(of=("self",), skip_locked=True)):
                _write(day, entries)
                Entry.objects.filter(pk__in=[entry.pk for entry in entries]).delete()
    except OSError as error:
        log.error("The activity can't be archived, so nothing of it is deleted: %s", error.strerror)  # noqa: TRY400 - nothing of ours


def _due(end: datetime) -> tuple[date, Sequence[int]] | None:
    """Return the day and ids of the next entries that began before `end`. None if there are none.

    Entries are added at the end, so the oldest come first. The first entry of an action is archived after its parts.
    """
    closed = Entry.objects.filter(check_until=None, expected="").exclude(outcome=Outcome.OPEN)
    first = list(closed.order_by("pk").values_list("pk", "started_at")[:MOST_ROWS])
    old = {pk: started_at.astimezone(UTC).date() for pk, started_at in first if started_at < end}
    firsts = set(Entry.objects.filter(part_of__in=old).order_by().values_list("part_of", flat=True))
    old = {pk: day for pk, day in old.items() if pk not in firsts}
    if not old:
        return None
    day = min(old.values())
    return day, [pk for pk, its in old.items() if its == day]


def _write(day: date, entries: Sequence[Entry]) -> None:
    """Write a file, readable by us only. It is complete once it has its name."""
    folder = Path(settings.DATA_DIR, FOLDER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{day}-{entries[0].pk}.jsonl.gz"
    partial = file.with_suffix(".partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw:
        raw.write(gzip.compress(_lines(entries).encode(), mtime=0))
        raw.flush()
        os.fsync(raw.fileno())
    partial.rename(file)
    _sync(folder)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lines(entries: Iterable[Entry]) -> str:
    return "".join(f"{json.dumps(_facts(entry), cls=DjangoJSONEncoder, ensure_ascii=False)}\n" for entry in entries)


def _facts(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.pk,
        "started": entry.started_at,
        "person": {"id": entry.person_id, "name": str(entry.person), "address": entry.person.email},
        "through": {"id": entry.through_id, "name": str(entry.through)} if entry.through else None,
        "operation": entry.operation,
        "what": words(entry.operation),
        "place": entry.place,
        "target": entry.target,
        "outcome": entry.outcome,
        "status": entry.status,
        "message": entry.message,
        "duration_ms": entry.duration_ms,
        "settled": entry.settled_at,
        "token": entry.token,
        "action": entry.action,
        "part_of": entry.part_of_id,
        "before": entry.before,
        "after": entry.after,
    }
