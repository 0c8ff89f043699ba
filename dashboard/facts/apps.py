from django.apps import AppConfig


class FactsConfig(AppConfig):
    name = "dashboard.facts"
    label = "facts"

    def ready(self) -> None:
        from dashboard.facts import memory  # noqa: PLC0415 - models are there only now
        from dashboard.jobs import retention  # noqa: PLC0415 - as above
        from dashboard.tokens import last_known  # noqa: PLC0415 - as above

        last_known.follow(memory.keep, memory.forget)
        retention.register(memory.forget_old)
