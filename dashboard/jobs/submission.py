"""Begin a job."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from dashboard.jobs import kinds, queue
from dashboard.jobs.items import Item, add
from dashboard.jobs.models import Approval, Job, Phase
from dashboard.tokens.workspace import Workspace


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
    approval: str = Approval.REQUIRED,
) -> Job:
    """Write down what is to be done and put it in line for a worker, in one transaction.

    `title` is the headline ("Delete 12 objects from photos"; default: the kind's title), `place` the project's ref or the space,
    `back` the address of the page the job belongs to. `parameters` and `cursor` are ids and plain facts, never a secret.

    A kind with a plan begins by planning, from `cursor` on (default `{}`), and then waits for its owner's word: `go` is "ask",
    "clear" (it goes on by itself where nothing stands in the way and nothing has to be typed) or "always".
    """
    found = kinds.find(kind)
    if found is None:
        raise KeyError(f"No kind of job is called {kind!r}.")
    begin = ({} if cursor is None else cursor) if found.plan else cursor
    with transaction.atomic():
        job = Job.objects.create(
            kind=kind,
            owner=workspace.person,
            title=(title or found.title)[:200],
            place=place,
            back=back,
            parameters=dict(parameters or {}),
            cursor=begin,
            initial_cursor=begin if found.plan else None,
            phase=Phase.PLAN if found.plan else Phase.RUN,
            approval=Approval(approval) if found.plan else Approval.NONE,
        )
        last, job.conflicts = add(job, items)
        job.total = last if last or begin is None else None
        job.ticket = queue.put(job.pk)
        job.save(update_fields=("total", "conflicts", "ticket"))
    return job
