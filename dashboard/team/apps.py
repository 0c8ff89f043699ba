from django.apps import AppConfig

from dashboard.web import navigation


class TeamConfig(AppConfig):
    name = "dashboard.team"
    label = "team"

    def ready(self) -> None:
        from dashboard.journal import recorder  # noqa: PLC0415 - models load first
        from dashboard.notifications import kinds  # noqa: PLC0415 - as above
        from dashboard.team.mail import ACCOUNT  # noqa: PLC0415 - as above
        from dashboard.team.rights import require_recorded  # noqa: PLC0415 - as above

        recorder.before_entries.append(require_recorded)
        kinds.register(kinds.Kind(ACCOUNT, "Your account", is_security=True))
        navigation.add_section("Team", "users", "team:index", order=60)
