"""Snapshots: what this feature adds to the product."""

from dashboard.features.snapshots import tasks
from dashboard.jobs import kinds, retention, schedules
from dashboard.jobs.settlement import register
from dashboard.notifications import kinds as notifications
from dashboard.snapshots import capture, check, collect, erase, replacements, restore, restore_plan, schedule, trash
from dashboard.team import hooks
from dashboard.tokens import palette

hooks.possessions.append(hooks.Possession("snapshot schedule", schedule.of, schedule.hand_over, schedule.ACTS))
register(*replacements.RULES)
schedules.register(schedule.KIND, tasks.run, ended=tasks.ended)
schedules.register(trash.KIND, tasks.purge)
retention.register(trash.look_after)
notifications.register(notifications.Kind(tasks.STOPPED, "Automatic snapshots stopped"))
palette.add_action("Snapshot storage", "hard-drive", "store:usage", is_on=capture.is_on)
palette.add_words("store:usage", "usage backup disk limit trash")
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
        follow_up=tasks.restored,
        personal=True,
    )
)
kinds.register(
    kinds.Kind(collect.ERASE, title="Erase from snapshots", step=erase.step, settle_delay=0, changes=changes[:1], personal=True)
)
kinds.register(
    kinds.Kind(collect.DELETE, title="Delete snapshots", step=collect.step, settle_delay=0, changes=changes[:1], personal=True)
)
