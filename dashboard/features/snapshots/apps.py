from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    name = "dashboard.features.snapshots"
    label = "snapshots"

    def ready(self) -> None:
        from dashboard.features.snapshots import tasks  # noqa: PLC0415 - models may be imported only now
        from dashboard.jobs import kinds, schedules  # noqa: PLC0415 - as above
        from dashboard.notifications import kinds as notifications  # noqa: PLC0415 - as above
        from dashboard.snapshots import capture, collect, schedule  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above

        hooks.possessions.append(hooks.Possession("snapshot schedule", schedule.of, schedule.hand_over))
        schedules.register(schedule.KIND, tasks.run, ended=tasks.ended)
        notifications.register(notifications.Kind(tasks.STOPPED, "Automatic snapshots stopped"))

        changes = ("snapshots", "index")
        kinds.register(
            kinds.Kind(capture.TAKE, title="Take a snapshot", step=capture.step, settle_delay=0, changes=changes, personal=True)
        )
        kinds.register(
            kinds.Kind(
                collect.DELETE, title="Delete snapshots", step=collect.step, settle_delay=0, changes=changes[:1], personal=True
            )
        )
