"""Count again after approval, before anything is deleted: an outdated plan is made again."""

from collections import Counter
from collections.abc import Collection
from functools import partial
from time import monotonic

from dashboard.catalog import queries
from dashboard.catalog.keys import lies_in
from dashboard.catalog.lookup import read_whole
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import outermost
from dashboard.features.bulk.tasks import items
from dashboard.interfaces import StorageInterface
from dashboard.jobs.models import Job
from dashboard.tokens.workspace import Workspace
from dashboard.web.parallel import map_bounded
from dashboard.web.text import bytes_text

FOLDERS_AT_ONCE = 8
# Give up recounting after a minute and trust the plan's count.
RECOUNT_SECONDS = 60.0


def selection_changed(workspace: Workspace, job: Job) -> str:
    """S13 for folders, the catalog for searches. Single objects need no recount."""
    selection = Selection.from_parameters(job.parameters["selection"])
    if selection.filter:
        asked = Filter.parse(selection.filter)
        found = queries.search(workspace, selection.space, selection.bucket, asked, offset=0, limit=0)
        return _difference("the search found", _number(job.facts, 0), found.total if found else 0)
    if not selection.folders:
        return ""
    told = _count(workspace.storage(selection.space), selection.bucket, selection.folders)
    single = len(selection.keys)
    return "" if told is None else _difference("it held", _number(job.facts, 0), _number(told, single))


def bucket_changed(workspace: Workspace, job: Job) -> str:
    """S13 for the whole bucket: new objects would be deleted, too."""
    told = _count(workspace.storage(job.parameters["space"]), job.parameters["bucket"], [""])
    if told is None:
        return ""
    words = _difference("it held", _number(job.facts, 0), _number(told, 0))
    before, now = job.facts.get("bytes", 0), told["bytes"]
    return words or (
        f"Nothing was deleted: it held {bytes_text(before)} when it was counted, now {bytes_text(now)}." if before != now else ""
    )


def _number(facts: dict[str, int], beside: int) -> int:
    return facts.get("objects", 0) + facts.get("marks", 0) + beside


def _difference(held: str, before: int, now: int) -> str:
    return f"Nothing was deleted: {held} {before:,} when it was counted, now {now:,}." if before != now else ""


def _count(storage: StorageInterface, bucket: str, folders: Collection[str]) -> dict[str, int] | None:
    """Count as the plan did. None: it takes too long."""
    facts: Counter[str] = Counter()
    until = monotonic() + RECOUNT_SECONDS
    waiting, wanted = outermost(folders), sorted(folders)
    while waiting:
        some, waiting = waiting[:FOLDERS_AT_ONCE], waiting[FOLDERS_AT_ONCE:]
        for whole in map_bounded(partial(read_whole, storage, bucket), some):
            waiting += whole.folders
            items.count(facts, (entry for entry in whole.entries if lies_in(entry.key, wanted)))
        if monotonic() > until:
            return None
    return facts
