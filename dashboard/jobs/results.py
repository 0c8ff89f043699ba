"""What a step said, as rows and as numbers of the job."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from django.db.models import F, Max
from django.utils import timezone

from dashboard.jobs import items
from dashboard.jobs.batch import ItemOutcome, Progress
from dashboard.jobs.models import MESSAGE_MAX_LENGTH, ItemState, Job, JobItem, Phase


def counted(phase: str, said: Mapping[int, ItemOutcome], moved: Progress | None) -> dict[str, Any]:
    """What changes in the job's own row. Anything that ended also ends the count of pauses and lost workers in a row."""
    counts = Counter(one.state for one in said.values())
    values: dict[str, Any] = {
        "done": F("done") + counts[ItemState.DONE],
        "skipped": F("skipped") + counts[ItemState.SKIPPED],
        "failed": F("failed") + counts[ItemState.FAILED],
        "unknown": F("unknown") + counts[ItemState.UNKNOWN],
    }
    if moved:
        counter = "done" if phase == Phase.RUN else "scanned"
        values |= {"cursor": moved.cursor, "facts": moved.facts, counter: values.get(counter, F(counter)) + moved.seen}
    if moved or counts.total() > counts[ItemState.WAITING]:
        values |= {"pauses": 0, "lost_workers": 0}
    return values


def move(job: Job, moved: Progress) -> dict[str, Any]:
    """Write the items that were added and corrected; what that changes in the job's own row, as `write` does."""
    values: dict[str, Any] = {}
    if moved.added:
        last: int = job.items.aggregate(last=Max("number"))["last"] or 0
        total, conflicts = items.add(job, moved.added, after=last)
        values |= {"total": total, "conflicts": F("conflicts") + conflicts}
    wrong = 0
    for message, numbers in _alike(moved.corrected).items():
        found = job.items.filter(number__in=numbers, state=ItemState.DONE)
        wrong += found.update(state=ItemState.FAILED, message=message[:MESSAGE_MAX_LENGTH])
    return values | ({"done": F("done") - wrong, "failed": F("failed") + wrong} if wrong else {})


def write(said: Mapping[int, ItemOutcome]) -> None:
    """One statement for all that ended alike. Stands in the transaction that proved the job to be ours."""
    alike: dict[ItemOutcome, list[int]] = defaultdict(list)
    for pk, one in said.items():
        alike[one].append(pk)
    now = timezone.now()
    for one, pks in alike.items():
        values: dict[str, Any] = {"state": one.state, "message": one.message[:MESSAGE_MAX_LENGTH], "check_until": None}
        if one.untried:
            values["tries"] = F("tries") - 1
        if one.state != ItemState.WAITING:
            values["ended_at"] = now
        JobItem.objects.filter(pk__in=pks, state=ItemState.IN_FLIGHT).update(**values)


def _alike(corrected: Mapping[int, str]) -> dict[str, list[int]]:
    """The numbers by their words: one statement for all that are told the same."""
    alike: dict[str, list[int]] = defaultdict(list)
    for number, message in corrected.items():
        alike[message].append(number)
    return alike
