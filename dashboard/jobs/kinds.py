"""What jobs can do. A feature registers its kinds in `AppConfig.ready`::

    from dashboard.jobs import kinds

    kinds.register(Kind("delete objects", title="Delete objects", step=delete, settle=read_back, batch_size=100))

`step(workspace, batch)` is one bounded piece of work (seconds, not minutes) on `batch.items`, at most `batch_size` of them, and
says how each ended: `batch.done(item)`, `.skipped`, `.failed`, `.unknown`, or `.requeue` when nothing happened. It runs in the
worker's main thread (database and workspace.record are at hand); `batch.for_each(call)` runs calls side by side in threads that
never touch the database. Work whose amount shows itself on the way keeps a `cursor` instead of items: `batch.advance(cursor)`,
and `batch.advance(None)` at its end.

What a step raises: an error of the interface that says "later" (SlowDown, Broken, TimedOut, Unreachable, UnknownOutcome) or a
`Pause` pauses the job until the time named; a refused or missing token, or a person who left, stops it with a sentence; anything
else stops it, too, and is logged.

Items of which nothing was said when a step ended that way, or the worker was killed, are "in flight": they are given to
`settle(workspace, batch)`, which reads back what became of each and says so with the same words (`requeue`: the old state shows).
For an item that was sent (`with batch.sending(items)`; `for_each` does it itself) the old state proves nothing for ten minutes:
it stays in flight and is read back at intervals while the job goes on with others. Then it is sent again, and after the third
time it failed: "Not applied as of 14:02 UTC." Without a `settle` items are simply done again, which is right only where repeating
has no effect.

A job goes through up to three phases, plan → run → verify:

- `plan(workspace, batch)` finds out what is to be done, by cursor, page by page: `batch.add(items)`, facts into `batch.facts`
  (plain JSON: bytes, calls, warnings), then `batch.advance(cursor, seen=n)`, and `batch.advance(None)` at its end. Items, facts
  and cursor are written together or not at all: a page that was cut off is planned once more and no item stands twice.
- `describe(job)` makes the `Plan` that the owner reads out of `job.facts`: pure, no calls. Its chosen policy stands in
  `batch.parameters["policy"]` afterwards.
- `revalidate(workspace, job)`, called once when the owner said go: a sentence when the plan is not true any more (it is made
  again), otherwise empty.
- `verify(workspace, batch)` reads back after the run, by cursor from `{}` on; `batch.correct({number: words})` turns items that
  were taken for done into failed ones, with the next `advance`. `batch.done_after(number, most)` gives the items to look at.

`changes` names the events (`objects` for `objects:changed`) that pages hear when a job of the kind has ended.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.tokens.workspace import Workspace

if TYPE_CHECKING:
    from dashboard.jobs.batch import Batch
    from dashboard.jobs.models import Job
    from dashboard.jobs.plans import Plan

Step = Callable[[Workspace, "Batch"], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """`title` is what people read ("Delete objects"); `settle_delay`: seconds to wait before what was in flight is read back.

    `in_order`: nothing more is begun while anything is in flight.
    """

    name: str
    title: str
    step: Step
    settle: Step | None = None
    batch_size: int = 1
    in_order: bool = False
    settle_delay: float = 2.0
    plan: Step | None = None
    describe: Callable[["Job"], "Plan"] | None = None
    revalidate: Callable[[Workspace, "Job"], str] | None = None
    verify: Step | None = None
    changes: tuple[str, ...] = ()


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    if _kinds.setdefault(kind.name, kind) != kind:
        raise ValueError(f"There is a kind of job called {kind.name!r} already.")


def find(name: str) -> Kind | None:
    return _kinds.get(name)


def title_of(name: str) -> str:
    """The kind in words, also of one that is gone."""
    kind = find(name)
    return kind.title if kind else name
