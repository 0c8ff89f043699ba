"""Notify people of a saved list that the service doesn't put in force."""

from django.urls import reverse

from dashboard.features.network.services.restrictions import read_restrictions
from dashboard.jobs.models import Schedule
from dashboard.notifications.outbox import notify
from dashboard.tokens.sight import administrators_of
from dashboard.tokens.workspace import Workspace

STUCK = "restrictions stuck"


def check_stored(workspace: Workspace, timer: Schedule) -> None:
    """Read the list once, some time after it was sent (M24).

    If another one is still in force, notify its sender and all administrators of the project.
    """
    ref = timer.key
    state = read_restrictions(workspace, ref)
    if state.is_stored and state.saved.fingerprint == timer.payload["list"]:
        notify(
            STUCK,
            administrators_of(workspace, ref, "network"),
            title="Network restrictions are saved, but not in force",
            address=reverse("network:restrictions", args=[ref]),
            key=f"{ref} {timer.created_at.isoformat()}",
            place=ref,
        )
