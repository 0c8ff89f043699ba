from django.apps import AppConfig


class HostnameConfig(AppConfig):
    name = "dashboard.features.hostname"
    label = "hostname"

    def ready(self) -> None:
        from dashboard.features.hostname import instructions, tasks  # noqa: PLC0415 - models may be imported only now
        from dashboard.features.hostname.services import changing  # noqa: PLC0415 - as above
        from dashboard.features.hostname.services.watching import WATCH  # noqa: PLC0415 - as above
        from dashboard.jobs import timers  # noqa: PLC0415 - as above
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above
        from dashboard.links import pages  # noqa: PLC0415 - as above
        from dashboard.links.models import Share  # noqa: PLC0415 - as above

        timers.register(WATCH, tasks.look)
        shows = {"M17": changing.is_set_up, "M18": changing.has_moved_on, "M19": changing.is_active}
        for operation, shown in shows.items():
            register(operation, Rule(changing.read_back, shown, then=changing.remember_found, changes="hostname"))
        register("M16", Rule(changing.read_back, changing.is_deleted, then=changing.after_deletion, changes="hostname"))
        pages.register(Share.Kind.HOSTNAME, instructions.PAGE)
