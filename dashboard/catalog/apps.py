from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "dashboard.catalog"
    label = "catalog"

    def ready(self) -> None:
        from dashboard.catalog import crawl, leases, succession  # noqa: PLC0415 - models are loaded from now on
        from dashboard.catalog import retention as catalog_retention  # noqa: PLC0415 - as above
        from dashboard.jobs import kinds, retention  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above
        from dashboard.tokens import credentials  # noqa: PLC0415 - as above

        kinds.register(
            kinds.Kind(crawl.CRAWL, title="Read a bucket", step=crawl.step, settle_delay=0, changes=("index",), personal=True)
        )
        retention.register(catalog_retention.forget_unread)
        retention.register(leases.forget_expired)
        credentials.on_succession(succession.succeed)
        hooks.possessions.append(hooks.Possession("search index", crawl.indexes_of, crawl.hand_over, names="search indexes"))
