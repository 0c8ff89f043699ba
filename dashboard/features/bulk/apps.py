from django.apps import AppConfig


class BulkConfig(AppConfig):
    name = "dashboard.features.bulk"
    label = "bulk"

    def ready(self) -> None:
        """What jobs can do with many objects."""
        from dashboard.features.bulk.tasks import kinds  # noqa: PLC0415 - models may not be imported before this

        kinds.register()
