"""Set up, verify, activate, delete: operations M16 to M19, each written in the journal before it is sent."""

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.features.hostname.rules.names import plain
from dashboard.features.hostname.services.hostname import Memory, read, remember
from dashboard.features.hostname.services.watch import start_watch, stop_watch
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.jobs.settlement import Wanted, settle
from dashboard.journal.models import Entry, Outcome
from dashboard.links import follow
from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace

# What every change of a hostname touches: there is one in a project.
TOUCHES = ("hostname",)
# The service refuses more, counted for each project.
MOST_A_MINUTE = 10
TOO_OFTEN = (
    "The service was asked to verify ten times within the last minute, and allows no more. Nothing was sent. "
    "Its own look at the records takes a moment: try again in a minute."
)


def initialize(workspace: Workspace, ref: str, host: str, *, watch: bool = False) -> Memory:
    """Set up a hostname (M17), and watch its records. Conflict where one exists, Rejected where the project has no right."""
    wanted = {"host": plain(host), "watch": watch}
    with settle(workspace, "M17", target=f"hostname {host}", place=ref, wanted=wanted, touches=TOUCHES) as change:
        change.found = workspace.management.hostname.initialize(ref, custom_hostname=host)
        change.after = _trace(change.found)
    return after_setup(workspace, ref, wanted, change.found)


def reverify(workspace: Workspace, ref: str, *, host: str, status: str) -> Memory:
    """Let the service look at the records (M18). `ValidationError` instead of an eleventh call within a minute."""
    before = {"status": status}
    with settle(workspace, "M18", target=f"hostname {host}", place=ref, before=before, wanted=before, touches=TOUCHES) as change:
        _spend(ref)
        change.found = workspace.management.hostname.reverify(ref)
        change.after = _trace(change.found)
    return remember(workspace, ref, change.found)


def activate(workspace: Workspace, ref: str, *, host: str, status: str) -> Memory:
    """Turn the hostname on (M19). Conflict while it is not verified."""
    before = {"status": status}
    with settle(workspace, "M19", target=f"hostname {host}", place=ref, before=before, wanted={}, touches=TOUCHES) as change:
        change.found = workspace.management.hostname.activate(ref)
        change.after = _trace(change.found)
    return remember(workspace, ref, change.found)


def delete(workspace: Workspace, ref: str, *, host: str, status: str) -> None:
    """Delete the configuration (M16). Its name stays remembered; whoever watched it stops, and its links lead nowhere."""
    before, wanted = {"status": status, "custom_hostname": host}, {"host": plain(host)}
    with settle(workspace, "M16", target=f"hostname {host}", place=ref, before=before, wanted=wanted, touches=TOUCHES):
        workspace.management.hostname.delete(ref)
    after_deletion(workspace, ref, wanted, None)


def after_deletion(workspace: Workspace, ref: str, wanted: Wanted, seen: HostnameConfiguration | None) -> None:
    """What follows from a deletion, whenever it is known."""
    follow.page_lost(Share.Kind.HOSTNAME, ref, wanted["host"])
    stop_watch(workspace, ref)
    remember(workspace, ref, seen)


def after_setup(workspace: Workspace, ref: str, wanted: Wanted, seen: HostnameConfiguration | None) -> Memory:
    """What follows from a hostname that was set up, whenever it is known."""
    if wanted["watch"]:
        start_watch(workspace, ref)
    return remember(workspace, ref, seen)


def remember_found(workspace: Workspace, ref: str, _wanted: Wanted, seen: HostnameConfiguration | None) -> None:
    remember(workspace, ref, seen)


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> HostnameConfiguration | None:
    return read(workspace, ref)


def is_set_up(seen: HostnameConfiguration | None, wanted: Wanted) -> bool:
    return seen is not None and plain(seen.custom_hostname) == wanted["host"]


def has_moved_on(seen: HostnameConfiguration | None, wanted: Wanted) -> bool:
    """Whether the state is another one than before the service was asked to verify."""
    return seen is not None and seen.status.value != wanted["status"]


def is_active(seen: HostnameConfiguration | None, _wanted: Wanted) -> bool:
    return seen is not None and seen.status is HostnameStatus.SERVICES_RECONFIGURED


def is_deleted(seen: HostnameConfiguration | None, wanted: Wanted) -> bool:
    return not is_set_up(seen, wanted)


def _spend(ref: str) -> None:
    """Count the calls by their rows in the journal, this one's included. What was never sent does not count."""
    lately = Entry.objects.filter(operation="M18", place=ref, started_at__gt=timezone.now() - timedelta(minutes=1))
    if lately.exclude(outcome=Outcome.REFUSED, status=None).count() > MOST_A_MINUTE:
        raise ValidationError(TOO_OFTEN)


def _trace(seen: HostnameConfiguration) -> dict[str, str]:
    return {"status": seen.status.value, "custom_hostname": seen.custom_hostname}
