from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    name = "dashboard.features.snapshots"
    label = "snapshots"

    def ready(self) -> None:
        from dashboard.jobs import kinds  # noqa: PLC0415 - models may be imported only now
        from dashboard.snapshots import capture, collect  # noqa: PLC0415 - as above

        changes = ("snapshots", "index")
        kinds.register(
            kinds.Kind(capture.TAKE, title="Take a snapshot", step=capture.step, settle_delay=0, changes=changes, personal=True)
        )
        kinds.register(
            kinds.Kind(
                collect.DELETE, title="Delete snapshots", step=collect.step, settle_delay=0, changes=changes[:1], personal=True
            )
        )
