from django.apps import AppConfig


class LinksConfig(AppConfig):
    name = "dashboard.links"
    label = "links"

    def ready(self) -> None:
        from dashboard.links.ledger import returning  # noqa: PLC0415 - models are loaded from now on
        from dashboard.team import hooks  # noqa: PLC0415 - as above

        hooks.on_reactivation.append(returning)
