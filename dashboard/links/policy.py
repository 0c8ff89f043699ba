"""Limits on how long links live and what they need: from the team's settings, and from the grant they use."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from dashboard.tokens.grants import Granted
from dashboard.tokens.guard import lacking, longest_link
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.input.expiry import Latest
from dashboard.web.text import counted, exact

REQUEST_MAX_DAYS = 365


def latest_of_share(grant: Grant | None) -> Latest | None:
    """Return the latest expiry of a share link that uses this grant; None if there is no limit."""
    return _earliest(_by_settings(), _by_grant(grant))


def latest_of_signed(granted: Granted | None) -> Latest | None:
    """Return the latest expiry of a signed link; None if there is no limit."""
    if granted is None:
        return _by_settings()
    longest = Latest(
        timezone.now() + longest_link(granted), "Until your access ends", "Through somebody else's token an hour at most."
    )
    return _earliest(_by_settings(), longest)


def latest_of_request(grant: Grant | None) -> Latest:
    """Return the latest expiry of a file request. It always has one."""
    year = Latest(timezone.now() + timedelta(days=REQUEST_MAX_DAYS), "1 year", "At most a year ahead. You can extend it later.")
    return _earliest(year, _by_grant(grant)) or year


def requires_password() -> bool:
    """Whether share links need a password."""
    return bool(settings.SHARE_PASSWORD_REQUIRED)


def why_not_signed(workspace: Workspace, space: str) -> str:
    """Say why no signed links can be handed out; "" if they can."""
    if requires_password():
        return "Your team requires a password, which signed links can't have."
    granted = workspace.grant_at(Kind.STORAGE, space)
    if granted and (missing := lacking(granted, "sign")):
        return missing
    unreachable = "Browsers can't reach the storage here (STORAGE_PUBLIC_URL is “none”)."
    return "" if workspace.signing_url(space) else unreachable


def _by_settings() -> Latest | None:
    if not settings.SHARE_MAX_DAYS:
        return None
    days = counted(settings.SHARE_MAX_DAYS, "day")
    return Latest(timezone.now() + timedelta(days=settings.SHARE_MAX_DAYS), days, f"Your team allows {days} at most.")


def _by_grant(grant: Grant | None) -> Latest | None:
    if grant is None or grant.ends_at is None:
        return None
    return Latest(grant.ends_at, "Until your access ends", f"Your access ends {exact(grant.ends_at)}, and the link with it.")


def _earliest(*ends: Latest | None) -> Latest | None:
    return min((end for end in ends if end), key=lambda end: end.moment, default=None)
