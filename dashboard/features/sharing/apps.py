from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "dashboard.features.sharing"
    label = "sharing"

    def ready(self) -> None:
        """What jobs can do with links."""
        from dashboard.features.sharing.tasks import kinds  # noqa: PLC0415 - models may not be imported before this

        kinds.register()
