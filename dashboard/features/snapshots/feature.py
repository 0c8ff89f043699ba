"""Snapshots: what this feature adds to the product."""

from dashboard.features.snapshots import tasks
from dashboard.jobs import kinds, schedules
from dashboard.notifications import kinds as notifications
from dashboard.snapshots import capture, check, collect, restore, restore_plan, schedule, trash
from dashboard.team import hooks

hooks.possessions.append(hooks.Possession("snapshot schedule", schedule.of, schedule.hand_over, schedule.ACTS))
schedules.register(schedule.KIND, tasks.run, ended=tasks.ended)
schedules.register(trash.KIND, tasks.purge)
notifications.register(notifications.Kind(tasks.STOPPED, "Automatic snapshots stopped"))
changes = ("snapshots", "index")
kinds.register(
    kinds.Kind(capture.TAKE, title="Take a snapshot", step=capture.step, settle_delay=0, changes=changes, personal=True)
)
kinds.register(kinds.Kind(check.CHECK, title="Check snapshots", step=check.step, settle_delay=0, personal=True))
kinds.register(
    kinds.Kind(
        collect.RESTORE,
        title="Restore objects",
        step=restore.run,
        settle=restore.settle,
        batch_size=restore.AT_ONCE,
        plan=restore_plan.plan,
        describe=restore_plan.describe,
        verify=restore.verify,
        changes=("objects",),
        personal=True,
    )
)
kinds.register(
    kinds.Kind(collect.DELETE, title="Delete snapshots", step=collect.step, settle_delay=0, changes=changes[:1], personal=True)
)
