"""The hostnames of all projects at once: the list from what is remembered (M1), each row as it is now (M15)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from dashboard.features.hostname.models import Known, Step
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services.hostname import Memory, read, recall, remember
from dashboard.interfaces.errors import Crowded, InterfaceError, SlowDown
from dashboard.tokens.workspace import Workspace

LASTS = timedelta(minutes=1)

# Order of the groups on the page, and their headings: who needs a person first.
GROUPS = {
    "stuck": "Stuck",
    "odd": "Unknown state",
    "yours": "Ready to activate",
    "failed": "Unreachable",
    "asking": "Loading",
    "waiting": "In progress",
    "active": "Active",
    "none": "Not set up",
}
TONES = {"stuck": "danger", "odd": "neutral", "yours": "attention", "waiting": "waiting", "active": "good"}


@dataclass(frozen=True, slots=True)
class Place:
    """A project in the review, ready to print. `fresh`: as it is now, else as it was last seen; `failure`: why not.

    `rests`: the service asks to slow down, so it is asked later.
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
    rests: bool = False

    @property
    def href(self) -> str:
        return reverse("hostname:index", args=[self.ref])

    @property
    def is_due(self) -> bool:
        """Whether the row is to be asked: not twice within a minute."""
        return not self.fresh and (self.rests or self.read_at is None or timezone.now() - self.read_at > LASTS)

    @property
    def fresh_href(self) -> str:
        """Where the row fetches itself; it says where it stands, so that it is moved only when it belongs elsewhere."""
        return f"{reverse('hostnames:row', args=[self.ref])}?{urlencode({'name': self.name, 'in': self.group})}"


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    title: str
    places: tuple[Place, ...]


def list_places(workspace: Workspace) -> tuple[list[Group], int]:
    """All projects (M1) in the order in which they were last seen to need somebody, and how many they are."""
    projects = sorted(workspace.management.projects.all(), key=lambda project: (project.name.casefold(), project.ref))
    fingerprint = workspace.fingerprint("management")
    known = {row.ref: row for row in Known.objects.filter(fingerprint=fingerprint)}
    since = {(step.ref, step.setup, step.status): step.first_seen_at for step in Step.objects.filter(fingerprint=fingerprint)}
    places = []
    for project in projects:
        row = known.get(project.ref)
        if row is None:
            places.append(Place(ref=project.ref, name=project.name, group="asking"))
        else:
            places.append(_place(row, since.get((row.ref, row.setup, row.status)), project.name))
    groups = [Group(key, title, tuple(place for place in places if place.group == key)) for key, title in GROUPS.items()]
    return groups, len(places)


def ask_place(workspace: Workspace, ref: str, name: str) -> Place:
    """One project as it is now (M15). A failure stays in its own row, beside what was last seen."""
    try:
        memory = remember(workspace, ref, read(workspace, ref))
    except InterfaceError as failure:
        before = recall(workspace, ref)
        last = _place(before.known, _since(before), name) if before else Place(ref=ref, name=name, group="asking")
        if isinstance(failure, SlowDown | Crowded):
            return replace(last, rests=True)
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
        # Without a hostname the service reports an error; the state is our own word for it.
        status=known.status if known.setup else "",
        word=steps.word_of(known.status),
        tone=TONES.get(group, "neutral"),
        trouble=known.troubles[0] if known.troubles else "",
        since=since,
        read_at=known.read_at,
        fresh=fresh,
    )
