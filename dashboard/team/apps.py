from django.apps import AppConfig

from dashboard.web import navigation


class TeamConfig(AppConfig):
    name = "dashboard.team"
    label = "team"

    def ready(self) -> None:
        from dashboard.journal import recorder  # noqa: PLC0415 - models load first
        from dashboard.team.rights import require_recorded  # noqa: PLC0415 - as above

        recorder.before_entries.append(require_recorded)
        navigation.add_section("Team", "users", "team:index", order=60)
