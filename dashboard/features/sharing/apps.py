from django.apps import AppConfig

from dashboard.web.pages import navigation


class SharingConfig(AppConfig):
    name = "dashboard.features.sharing"
    label = "sharing"

    def ready(self) -> None:
        navigation.add_section("Links", "link", "sharing:ledger", order=20)

        from dashboard.facts import registry  # noqa: PLC0415 - models may not be imported before this
        from dashboard.features.sharing import tasks  # noqa: PLC0415 - as above
        from dashboard.features.sharing.services import batch, overview  # noqa: PLC0415 - as above

        registry.register(overview.FACT)
        from dashboard.features.sharing.views.ledger import found  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above
        from dashboard.tokens import palette  # noqa: PLC0415 - as above

        palette.add_source("Links", found, order=80)
        palette.add_action("Revoke a share link", "link-2-off", "sharing:ledger")
        hooks.possessions.append(hooks.Possession("set of signed links", batch.live_of, batch.hand_over, "sets of signed links"))
        hooks.belongings.append(batch.all_of)
        tasks.register()
