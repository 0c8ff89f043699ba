"""What a step said, as rows and as numbers of the job."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from django.db.models import F
from django.utils import timezone

from dashboard.jobs.models import WORDS_LIMIT, ItemState, JobItem
from dashboard.jobs.slices import Moved, Said


def counted(said: Mapping[int, Said], moved: Moved | None) -> dict[str, Any]:
    """What changes in the job's own row. Anything that ended also ends the count of pauses and lost workers in a row."""
    counts = Counter(one.state for one in said.values())
    values: dict[str, Any] = {
        "done": F("done") + counts[ItemState.DONE] + (moved.seen if moved else 0),
        "skipped": F("skipped") + counts[ItemState.SKIPPED],
        "failed": F("failed") + counts[ItemState.FAILED],
        "unknown": F("unknown") + counts[ItemState.UNKNOWN],
    }
    if moved:
        values["cursor"] = moved.cursor
        if moved.total is not None:
            values["total"] = moved.total
    if moved or counts.total() > counts[ItemState.WAITING]:
        values |= {"pauses": 0, "lost": 0}
    return values


def write(said: Mapping[int, Said]) -> None:
    """One statement for all that ended alike. Stands in the transaction that proved the job to be ours."""
    alike: dict[tuple[str, str, str, bool], list[int]] = defaultdict(list)
    for pk, one in said.items():
        alike[one.state, one.words, json.dumps(one.result), one.untried].append(pk)
    now = timezone.now()
    for (state, words, result, untried), pks in alike.items():
        values: dict[str, Any] = {"state": state, "words": words[:WORDS_LIMIT]}
        if untried:
            values["tries"] = F("tries") - 1
        if state != ItemState.WAITING:
            values |= {"ended_at": now, "result": json.loads(result)}
        JobItem.objects.filter(pk__in=pks, state=ItemState.UNDERWAY).update(**values)
