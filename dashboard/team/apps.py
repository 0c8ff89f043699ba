from django.apps import AppConfig
from django.core.checks import register

from dashboard.vault.reseal import json_columns
from dashboard.web import navigation


class TeamConfig(AppConfig):
    name = "dashboard.team"
    label = "team"

    def ready(self) -> None:
        from dashboard.journal import recorder  # noqa: PLC0415 - models load first
        from dashboard.notifications import kinds  # noqa: PLC0415 - as above
        from dashboard.team.mail import ACCOUNT  # noqa: PLC0415 - as above
        from dashboard.team.requirement import check_roles  # noqa: PLC0415 - as above
        from dashboard.team.rights import require_recorded  # noqa: PLC0415 - as above

        recorder.before_entries.append(require_recorded)
        register(check_roles)
        json_columns.append(("mfa.Authenticator", "data"))
        kinds.register(kinds.Kind(ACCOUNT, "Your account", is_security=True))
        navigation.add_section("Team", "users", "team:index", order=60)
