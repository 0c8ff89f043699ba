"""The kinds of jobs of this feature."""

from collections.abc import Callable

from dashboard.features.bulk import plans
from dashboard.features.bulk.services import beginning
from dashboard.features.bulk.tasks import deletion, emptying, planning, recounting, transfer
from dashboard.jobs import Job, Kind, Plan, kinds
from dashboard.jobs.kinds import Step


def register() -> None:
    for kind in (
        Kind(
            beginning.DELETION,
            title="Delete objects",
            step=deletion.delete,
            settle=deletion.settle,
            at_once=deletion.AT_ONCE,
            plan=deletion.plan,
            shown=plans.deletion,
            changed=recounting.selection_changed,
            verify=deletion.verify,
            changes=("objects",),
        ),
        _transfer(beginning.MOVE, "Move objects"),
        _transfer(beginning.COPY, "Copy objects"),
        _emptying(beginning.EMPTYING, "Empty a bucket", emptying.plan_emptying, plans.emptying, ("objects", "buckets")),
        _emptying(beginning.REMOVAL, "Empty and delete a bucket", emptying.plan_removal, plans.removal, ("buckets",)),
    ):
        kinds.register(kind)


def _transfer(name: str, title: str) -> Kind:
    return Kind(
        name,
        title=title,
        step=transfer.carry,
        settle=transfer.settle,
        at_once=transfer.AT_ONCE,
        plan=planning.plan,
        shown=plans.transfer,
        verify=transfer.verify,
        changes=("objects",),
    )


def _emptying(name: str, title: str, plan: Step, shown: Callable[[Job], Plan], changes: tuple[str, ...]) -> Kind:
    return Kind(
        name,
        title=title,
        step=emptying.advance,
        settle=emptying.advance,
        at_once=emptying.AT_ONCE,
        quiet=1.0,
        plan=plan,
        shown=shown,
        changed=recounting.bucket_changed,
        changes=changes,
    )
