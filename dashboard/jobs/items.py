"""The things of a job: as a feature names them, and as rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboard.jobs.models import MESSAGE_MAX_LENGTH, Job, JobItem

BATCH = 500


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to be done: `target` is what people read, `parameters` (plain JSON, no secret) what the step needs beside it.

    Two of those are shown to people, too: `to` (where it goes) and `beside` (the name it gets where both are kept).
    `size` in bytes where it has one; `conflict` says in a few words what stands in its way, empty for nothing.
    """

    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    conflict: str = ""


def add(job: Job, items: Iterable[Item | str], *, after: int = 0) -> tuple[int, int]:
    """Write rows numbered on from `after`; the last number, and how many of them have a conflict."""
    rows = [
        JobItem(
            job=job,
            number=number,
            target=item.target,
            parameters=dict(item.parameters),
            size=item.size,
            conflict=item.conflict[:MESSAGE_MAX_LENGTH],
        )
        for number, item in enumerate((Item(given) if isinstance(given, str) else given for given in items), start=after + 1)
    ]
    JobItem.objects.bulk_create(rows, batch_size=BATCH)
    return after + len(rows), sum(bool(row.conflict) for row in rows)
