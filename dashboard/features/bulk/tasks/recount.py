"""Count again after approval, before anything is deleted. If the plan is outdated, it is made again."""

from dashboard.catalog import queries
from dashboard.catalog.contents import count_folders
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.features.bulk.rules import number_of
from dashboard.jobs.models import Job
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text

# Give up recounting after a minute and trust the plan's count.
RECOUNT_SECONDS = 60.0


def selection_changed(workspace: Workspace, job: Job) -> str:
    """Return why the plan is outdated; "" if not. S13 for folders, the catalog for searches. Single objects need no recount."""
    selection = Selection.from_parameters(job.parameters["selection"])
    if selection.filter:
        asked = Filter.parse(selection.filter)
        found = queries.search(workspace, selection.space, selection.bucket, asked, offset=0, limit=0)
        return _difference("the search found", number_of(job.facts), found.total if found else 0)
    if not selection.folders:
        return ""
    told = count_folders(workspace.storage(selection.space), selection.bucket, selection.folders, seconds=RECOUNT_SECONDS)
    single = len(selection.keys)
    return "" if told is None else _difference("it held", number_of(job.facts), number_of(told.facts) + single)


def bucket_changed(workspace: Workspace, job: Job) -> str:
    """Return why the plan is outdated; "" if not (S13 for the whole bucket): new objects would be deleted, too."""
    told = count_folders(workspace.storage(job.parameters["space"]), job.parameters["bucket"], [""], seconds=RECOUNT_SECONDS)
    if told is None:
        return ""
    words = _difference("it held", number_of(job.facts), number_of(told.facts))
    before, now = job.facts.get("bytes", 0), told.facts["bytes"]
    return words or (
        f"Nothing was deleted: it held {bytes_text(before)} when it was counted, now {bytes_text(now)}." if before != now else ""
    )


def _difference(held: str, before: int, now: int) -> str:
    return f"Nothing was deleted: {held} {before:,} when it was counted, now {now:,}." if before != now else ""
