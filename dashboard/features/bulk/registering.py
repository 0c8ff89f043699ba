"""The kinds of jobs of this feature."""

from dashboard.features.bulk import plans
from dashboard.features.bulk.services import beginning
from dashboard.features.bulk.tasks import deletion, emptying, planning, recounting, transfer
from dashboard.jobs import Kind, kinds


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
        Kind(
            beginning.EMPTYING,
            title="Empty a bucket",
            step=emptying.advance,
            settle=emptying.advance,
            at_once=emptying.AT_ONCE,
            quiet=1.0,
            plan=emptying.plan_emptying,
            shown=plans.emptying,
            changed=recounting.bucket_changed,
            changes=("objects", "buckets"),
        ),
        Kind(
            beginning.REMOVAL,
            title="Empty and delete a bucket",
            step=emptying.advance,
            settle=emptying.advance,
            at_once=emptying.AT_ONCE,
            quiet=1.0,
            plan=emptying.plan_removal,
            shown=plans.removal,
            changed=recounting.bucket_changed,
            changes=("buckets",),
        ),
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
