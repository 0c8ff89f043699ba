from django.apps import AppConfig


class LinksConfig(AppConfig):
    name = "dashboard.links"
    label = "links"

    def ready(self) -> None:
        from dashboard.links import lifecycle  # noqa: PLC0415 - models are loaded from now on
        from dashboard.links.ledger import returning  # noqa: PLC0415 - as above
        from dashboard.links.models import Share  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above

        hooks.belongings.append(lambda person: person.shares.all())
        hooks.on_reactivation.append(returning)
        hooks.possessions.append(lifecycle.possession("share link", Share))
