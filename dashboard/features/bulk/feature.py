"""Jobs on many objects: what this feature adds to the product."""

from collections.abc import Callable

from dashboard.features.bulk import rules, services
from dashboard.features.bulk.tasks import delete, empty, labels, recount, transfer, transfer_plan
from dashboard.jobs import kinds
from dashboard.jobs.kinds import Kind, Step
from dashboard.jobs.models import Job
from dashboard.jobs.plans import Plan
from dashboard.jobs.settlement import register
from dashboard.snapshots import deletions


def _transfer(name: str, title: str) -> Kind:
    return Kind(
        name,
        title=title,
        step=transfer.run,
        settle=transfer.settle,
        batch_size=transfer.AT_ONCE,
        plan=transfer_plan.plan,
        describe=rules.transfer,
        verify=transfer.verify,
        changes=("objects",),
        follow_up=delete.trash_of,
    )


def _emptying(name: str, title: str, plan: Step, describe: Callable[[Job], Plan], changes: tuple[str, ...]) -> Kind:
    return Kind(
        name,
        title=title,
        step=empty.advance,
        settle=empty.settle,
        batch_size=deletions.AT_ONCE,
        in_order=True,
        settle_delay=1.0,
        plan=plan,
        describe=describe,
        revalidate=recount.bucket_changed,
        changes=changes,
        follow_up=delete.undo if name == services.EMPTYING else delete.trash_of,
    )


for kind in (
    Kind(
        services.DELETION,
        title="Delete objects",
        step=delete.delete,
        settle=delete.settle,
        batch_size=deletions.AT_ONCE,
        plan=delete.plan,
        describe=rules.deletion,
        revalidate=recount.selection_changed,
        verify=delete.verify,
        changes=("objects",),
        follow_up=delete.undo,
    ),
    _transfer(services.MOVE, "Move objects"),
    _transfer(services.COPY, "Copy objects"),
    Kind(
        services.LABELLING,
        title="Change type and caching",
        step=labels.run,
        settle=labels.settle,
        batch_size=labels.AT_ONCE,
        plan=labels.plan,
        describe=rules.labelling,
        changes=("objects",),
    ),
    _emptying(services.EMPTYING, "Empty a bucket", empty.plan_emptying, rules.emptying, ("objects", "buckets")),
    _emptying(services.REMOVAL, "Empty and delete a bucket", empty.plan_removal, rules.removal, ("buckets",)),
):
    kinds.register(kind)
register(*empty.RULES)
