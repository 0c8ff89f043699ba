from django.apps import AppConfig


class IndexConfig(AppConfig):
    name = "dashboard.index"
    label = "index"

    def ready(self) -> None:
        from dashboard.index import crawling, forgetting, leases  # noqa: PLC0415 - models are there from now on
        from dashboard.jobs import keeping, kinds  # noqa: PLC0415 - as above

        kinds.register(kinds.Kind(crawling.CRAWL, title="Read a bucket", step=crawling.step, quiet=0, changes=("index",)))
        keeping.register(forgetting.forget_unread)
        keeping.register(leases.forget_expired)
