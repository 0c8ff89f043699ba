from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig


class TeamConfig(AppConfig):
    name = "dashboard.team"
    default = True


class SessionsConfig(UserSessionsConfig):  # type: ignore[misc] # allauth carries no types
    """The app of allauth's session table, which `user_sessions` writes: allauth itself would store session keys."""

    def ready(self) -> None:
        """Connect none of allauth's receivers."""
