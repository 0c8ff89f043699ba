"""The hostnames of all projects: the list (M1) with the last known states, and each row as it is now (M15)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Known, Step
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services.hostname import Memory, read, recall, remember
from dashboard.interfaces.errors import Crowded, InterfaceError, SlowDown
from dashboard.tokens.workspace import Workspace

FRESH_FOR = timedelta(minutes=1)

# The groups in their order on the page, those that need a person first.
GROUPS = {
    "stuck": "Stuck",
    "odd": "Unknown state",
    "yours": "Ready to activate",
    "failed": "Unreachable",
    "loading": "Loading",
    "waiting": "In progress",
    "active": "Active",
    "none": "Not set up",
}
TONES = {"stuck": "danger", "odd": "neutral", "yours": "attention", "waiting": "waiting", "active": "good"}


@dataclass(frozen=True, slots=True)
class Place:
    """A project and its hostname. `fresh`: read now, otherwise the last known state; `failure`: why it couldn't be read.

    `retries`: the service asks to slow down, so the row loads again later.
    """

    ref: str
    name: str
    group: str
    hostname: str = ""
    status: str = ""
    word: str = ""
    tone: str = "neutral"
    trouble: str = ""
    since: datetime | None = None
    read_at: datetime | None = None
    fresh: bool = False
    failure: InterfaceError | None = None
    retries: bool = False

    @property
    def is_due(self) -> bool:
        """Whether the row should load, at most once a minute."""
        return not self.fresh and (self.retries or self.read_at is None or timezone.now() - self.read_at > FRESH_FOR)


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    title: str
    places: tuple[Place, ...]


def list_places(workspace: Workspace) -> tuple[list[Group], int]:
    """Return all projects (M1) in groups by their last known state, and their number."""
    projects = sorted(workspace.management.projects.all(), key=lambda project: (project.name.casefold(), project.ref))
    fingerprint = workspace.fingerprint("management")
    known = {row.ref: row for row in Known.objects.filter(fingerprint=fingerprint)}
    since = {(step.ref, step.setup, step.status): step.first_seen_at for step in Step.objects.filter(fingerprint=fingerprint)}
    places = []
    for project in projects:
        row = known.get(project.ref)
        if row is None:
            places.append(Place(ref=project.ref, name=project.name, group="loading"))
        else:
            places.append(_place(row, since.get((row.ref, row.setup, row.status)), project.name))
    groups = [Group(key, title, tuple(place for place in places if place.group == key)) for key, title in GROUPS.items()]
    return groups, len(places)


def read_place(workspace: Workspace, ref: str, name: str) -> Place:
    """Read one project (M15). A failure stays in its row, beside the last known state."""
    try:
        memory = remember(workspace, ref, read(workspace, ref))
    except InterfaceError as failure:
        before = recall(workspace, ref)
        last = _place(before.known, _since(before), name) if before else Place(ref=ref, name=name, group="loading")
        if isinstance(failure, SlowDown | Crowded):
            return replace(last, retries=True)
        return replace(last, group="failed", failure=failure, fresh=True)
    return _place(memory.known, _since(memory), name, fresh=True)


def _since(memory: Memory) -> datetime | None:
    return memory.steps.get(memory.known.status)


def _place(known: Known, since: datetime | None, name: str, *, fresh: bool = False) -> Place:
    group = steps.group_of(known, since)
    return Place(
        ref=known.ref,
        name=name,
        group=group,
        hostname=known.hostname if known.setup else "",
        # Without a hostname the service reports an error; the status is our own.
        status=known.status if known.setup else "",
        word=steps.word_of(known.status),
        tone=TONES.get(group, "neutral"),
        trouble=known.troubles[0] if known.troubles else "",
        since=since,
        read_at=known.read_at,
        fresh=fresh,
    )
