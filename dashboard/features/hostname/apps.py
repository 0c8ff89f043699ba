from django.apps import AppConfig


class HostnameConfig(AppConfig):
    name = "dashboard.features.hostname"
    label = "hostname"

    def ready(self) -> None:
        from dashboard.features.hostname import instructions, tasks  # noqa: PLC0415 - models may be imported only now
        from dashboard.features.hostname.services.watching import WATCH  # noqa: PLC0415 - as above
        from dashboard.jobs import timers  # noqa: PLC0415 - as above
        from dashboard.links import pages  # noqa: PLC0415 - as above
        from dashboard.links.models import Share  # noqa: PLC0415 - as above

        timers.register(WATCH, tasks.look)
        pages.register(Share.Kind.HOSTNAME, instructions.PAGE)
