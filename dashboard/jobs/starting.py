"""Begin a job."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from dashboard.jobs import carrier, kinds
from dashboard.jobs.models import Job, JobItem
from dashboard.tokens import Workspace

BATCH = 500


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to be done: `target` is what people read, `parameters` (plain JSON, no secret) what the step needs beside it."""

    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


def start(
    workspace: Workspace,
    kind: str,
    *,
    items: Iterable[Item | str] = (),
    title: str = "",
    place: str = "",
    back: str = "",
    parameters: Mapping[str, Any] | None = None,
    cursor: Any = None,
) -> Job:
    """Write down what is to be done and put it in line for a worker, in one transaction.

    `title` is the headline ("Delete 12 objects from photos"; default: the kind's title), `place` the project's ref or the space,
    `back` the address of the page the job belongs to. `parameters` and `cursor` are ids and plain facts, never a secret.
    """
    found = kinds.find(kind)
    if found is None:
        raise KeyError(f"No kind of job is called {kind!r}.")
    with transaction.atomic():
        job = Job.objects.create(
            kind=kind,
            owner=workspace.person,
            title=(title or found.title)[:200],
            place=place,
            back=back,
            parameters=dict(parameters or {}),
            cursor=cursor,
        )
        rows = [
            JobItem(job=job, number=number, target=item.target, parameters=dict(item.parameters))
            for number, item in enumerate((Item(given) if isinstance(given, str) else given for given in items), start=1)
        ]
        JobItem.objects.bulk_create(rows, batch_size=BATCH)
        job.total = len(rows) if rows or cursor is None else None
        job.ticket = carrier.put(job.pk)
        job.save(update_fields=("total", "ticket"))
    return job
