from django.apps import AppConfig


class BucketsConfig(AppConfig):
    name = "dashboard.features.buckets"
    label = "buckets"

    def ready(self) -> None:
        from dashboard.features.buckets.services import changing  # noqa: PLC0415 - models may be imported only now
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above

        register("S1", Rule(changing.read_back, changing.is_created, changes="buckets"))
        register("S5", Rule(changing.read_back, changing.has_settings, changes="buckets"))
        register("S6", Rule(changing.read_back, changing.is_deleted, then=changing.after_deletion, changes="buckets"))
