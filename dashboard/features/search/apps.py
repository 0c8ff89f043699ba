from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "dashboard.features.search"
    label = "search"

    def ready(self) -> None:
        from dashboard.features.search.views import found  # noqa: PLC0415 - models may be imported only now
        from dashboard.tokens import palette  # noqa: PLC0415 - as above

        palette.add_source("Files", found, order=70)
