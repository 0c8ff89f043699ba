"""The registry of job kinds. A feature registers its kinds in its module `feature`::

    kinds.register(Kind("delete objects", title="Delete objects", step=delete, settle=verify_in_flight, batch_size=100))

`step(workspace, batch)` is one bounded piece of work (seconds, not minutes) on `batch.items`, at most `batch_size` of them. It
records the outcome of each item: `batch.done(item)`, `.skipped`, `.failed`, `.unknown`, or `.requeue` if nothing happened to it.
It runs in the worker's main thread, so it may use the database and `workspace.record`; `batch.for_each(call)` runs calls in
parallel threads, which may not. Work of unknown size keeps a cursor instead of items: `batch.advance(cursor)`, and
`batch.advance(None)` at the end.

Errors of a step: a retryable interface error (SlowDown, Broken, TimedOut, Unreachable, UnknownOutcome) or `Pause` pauses the job;
a missing or refused token, or an owner who left, fails it with a message. Any other error fails it, too, and is logged.

Items without an outcome after such an error, or after the worker was killed, are in flight. They are passed to
`settle(workspace, batch)`, which reads back each one and records its outcome (`requeue`: the old state shows). If an item was
sent (`with batch.sending(items)`; `for_each` does it itself), the old state proves nothing while the request may still run
(`operations.MAY_RUN_FOR`): the item is read back at intervals while the job continues with others. Then it is sent again, and
after the third time it fails with "Not applied as of 14:02 UTC." Without a `settle` items are done again, which is right only if
repeating has no effect.

A job has up to three phases:

- `plan(workspace, batch)` finds out what to do, page by page: `batch.add(items)`, facts for people into `batch.facts` (plain
  JSON), then `batch.advance(cursor, seen=n)`. Items, facts and cursor are saved together, so no item is planned twice.
  `describe(job)` turns the facts into the `Plan` that its owner reads; the chosen policy is then in `parameters["policy"]`.
- run: `revalidate(workspace, job)` is called once before the first step; a reason makes the plan again, "" lets it run.
- `verify(workspace, batch)` reads back after the run, by cursor from `{}` on: `batch.done_after(number, limit)` returns items,
  `batch.correct({number: message})` fails those that are not done after all.

The fact `remark` is told in the notice of a job that is done, which is then sent however short the job was.

`changes` names the events that pages hear when a job has ended: `objects` for `objects:changed`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.jobs.batch import Batch
from dashboard.jobs.models import Job
from dashboard.jobs.plans import Plan
from dashboard.tokens.workspace import Workspace

Step = Callable[[Workspace, Batch], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of job.

    `settle_delay`: seconds before items in flight are read back. `in_order`: start nothing while any item is in flight.
    `follow_up`: label and address of a next step, for the notice of a job that has ended; None: its page.
    `personal`: can't be handed over, as its result belongs to a token or is visible to its owner only.
    """

    name: str
    title: str
    step: Step
    settle: Step | None = None
    batch_size: int = 1
    in_order: bool = False
    settle_delay: float = 2.0
    plan: Step | None = None
    describe: Callable[[Job], Plan] | None = None
    revalidate: Callable[[Workspace, Job], str] | None = None
    verify: Step | None = None
    changes: tuple[str, ...] = ()
    follow_up: Callable[[Job], tuple[str, str] | None] = lambda _job: None
    personal: bool = False


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    if _kinds.setdefault(kind.name, kind) != kind:
        raise ValueError(f"There is a kind of job called {kind.name!r} already.")


def registered() -> list[Kind]:
    return list(_kinds.values())


def find(name: str) -> Kind | None:
    return _kinds.get(name)


def title_of(name: str) -> str:
    """Return the title of a kind, or its name if it is no longer registered."""
    kind = find(name)
    return kind.title if kind else name


def plan_of(job: Job) -> Plan:
    """Describe what a planned job will do."""
    kind = find(job.kind)
    if kind and kind.describe:
        return kind.describe(job)
    return Plan(f"{job.total or 0:,} items.", conflicts=job.conflicts)
