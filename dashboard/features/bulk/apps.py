from django.apps import AppConfig


class BulkConfig(AppConfig):
    name = "dashboard.features.bulk"
    label = "bulk"

    def ready(self) -> None:
        """Register the jobs on many objects."""
        from dashboard.features.bulk.tasks import empty, kinds  # noqa: PLC0415 - models may not be imported before this
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above

        kinds.register()
        register("S3", Rule(empty.read_back, empty.is_empty))
