"""Set up, verify, activate, delete: operations M16 to M19, each written in the journal before it is sent."""

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard import links
from dashboard.features.hostname.names import plain
from dashboard.features.hostname.services.reading import Memory, remember
from dashboard.features.hostname.services.watching import stop_watch
from dashboard.interfaces.management.hostname import HostnameConfiguration
from dashboard.journal.models import Entry, Outcome
from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace

# The service refuses more, counted for each project.
MOST_A_MINUTE = 10
TOO_OFTEN = (
    "The service was asked to verify ten times within the last minute, and allows no more. Nothing was sent. "
    "Its own look at the records takes a moment: try again in a minute."
)


def initialize(workspace: Workspace, ref: str, host: str) -> Memory:
    """Set up a hostname (M17). Conflict where one exists, Rejected (with the service's reason) where the project has no right."""
    with workspace.record("M17", target=f"hostname {host}", place=ref) as change:
        seen = workspace.management.hostname.initialize(ref, custom_hostname=host)
        change.after = _trace(seen)
    return remember(workspace, ref, seen)


def reverify(workspace: Workspace, ref: str, *, host: str, status: str) -> Memory:
    """Let the service look at the records (M18). `ValidationError` instead of an eleventh call within a minute."""
    with workspace.record("M18", target=f"hostname {host}", place=ref, before={"status": status}) as change:
        _spend(ref)
        seen = workspace.management.hostname.reverify(ref)
        change.after = _trace(seen)
    return remember(workspace, ref, seen)


def activate(workspace: Workspace, ref: str, *, host: str, status: str) -> Memory:
    """Turn the hostname on (M19). Conflict while it is not verified."""
    with workspace.record("M19", target=f"hostname {host}", place=ref, before={"status": status}) as change:
        seen = workspace.management.hostname.activate(ref)
        change.after = _trace(seen)
    return remember(workspace, ref, seen)


def delete(workspace: Workspace, ref: str, *, host: str, status: str) -> None:
    """Delete the configuration (M16). Its name stays remembered; whoever watched it stops, and its links lead nowhere."""
    with workspace.record("M16", target=f"hostname {host}", place=ref, before={"status": status, "custom_hostname": host}):
        workspace.management.hostname.delete(ref)
    links.page_lost(Share.Kind.HOSTNAME, ref, plain(host))
    stop_watch(workspace, ref)
    remember(workspace, ref, None)


def _spend(ref: str) -> None:
    """Count the calls by their rows in the journal, this one's included. What was never sent does not count."""
    lately = Entry.objects.filter(operation="M18", place=ref, started_at__gt=timezone.now() - timedelta(minutes=1))
    if lately.exclude(outcome=Outcome.REFUSED, status=None).count() > MOST_A_MINUTE:
        raise ValidationError(TOO_OFTEN)


def _trace(seen: HostnameConfiguration) -> dict[str, str]:
    return {"status": seen.status.value, "custom_hostname": seen.custom_hostname}
