from django.apps import AppConfig


class BucketsConfig(AppConfig):
    name = "dashboard.features.buckets"
    label = "buckets"

    def ready(self) -> None:
        from dashboard.features.buckets.services import settings  # noqa: PLC0415 - models may be imported only now
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above

        register("S1", Rule(settings.read_back, settings.is_created, changes="buckets"))
        register("S5", Rule(settings.read_back, settings.has_settings, changes="buckets"))
        register("S6", Rule(settings.read_back, settings.is_deleted, then=settings.after_deletion, changes="buckets"))
