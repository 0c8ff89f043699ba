from django.apps import AppConfig

from dashboard.web import navigation


class SharingConfig(AppConfig):
    name = "dashboard.features.sharing"
    label = "sharing"

    def ready(self) -> None:
        navigation.add_section("Links", "link", "sharing:ledger", order=30)

        from dashboard.facts import registry  # noqa: PLC0415 - models may not be imported before this
        from dashboard.features.sharing import tasks  # noqa: PLC0415 - as above
        from dashboard.features.sharing.services import overview  # noqa: PLC0415 - as above

        registry.register(overview.FACT)
        tasks.register()
