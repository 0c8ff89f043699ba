from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig

from dashboard.vault.reseal import json_columns


class TeamConfig(AppConfig):
    name = "dashboard.team"
    label = "team"
    default = True

    def ready(self) -> None:
        from dashboard.journal import recorder  # noqa: PLC0415 - models load first
        from dashboard.notifications import kinds  # noqa: PLC0415 - as above
        from dashboard.team import hooks, locked  # noqa: PLC0415 - as above
        from dashboard.team.mail import ACCOUNT  # noqa: PLC0415 - as above
        from dashboard.team.rights import require_recorded  # noqa: PLC0415 - as above

        recorder.before_entries.append(require_recorded)
        hooks.refusals.append(locked.refusals)
        json_columns.append(("mfa.Authenticator", "data"))
        kinds.register(kinds.Kind(ACCOUNT, "Your account", is_security=True))


class SessionsConfig(UserSessionsConfig):  # type: ignore[misc] # allauth carries no types
    """The app of allauth's session table, which `user_sessions` writes: allauth itself would store session keys."""

    def ready(self) -> None:
        """Connect none of allauth's receivers."""
