"""The hostnames of all projects: the list (M1) with the last known states, and each row as it is now (M15 and DNS)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Known, Step
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services import dns
from dashboard.features.hostname.services.hostname import Memory, read, recall, remember
from dashboard.features.hostname.services.watch import find_watch, watched_refs
from dashboard.interfaces.errors import Crowded, InterfaceError, SlowDown
from dashboard.tokens.last_known import UNANSWERED
from dashboard.tokens.workspace import Workspace

FRESH_FOR = timedelta(minutes=1)

# The groups in their order on the page, those that need a person first.
GROUPS = {
    "stuck": "Stuck",
    "broken": "DNS broken",
    "odd": "Unknown state",
    "yours": "Ready to activate",
    "failed": "Unreachable",
    "loading": "Loading",
    "waiting": "In progress",
    "active": "Active",
    "none": "Not set up",
}
ACTIVE_BROKEN = "Active, DNS broken"
TONES = {"stuck": "danger", "broken": "attention", "odd": "neutral", "yours": "attention", "waiting": "waiting", "active": "good"}


@dataclass(frozen=True, slots=True)
class Place:
    """A project and its hostname. `fresh`: read now, otherwise the last known state; `failure`: why it couldn't be read.

    `retries`: the service asks to slow down, so the row loads again later. `broken`: the first DNS record that is wrong.
    `no_dns`: no resolver answered just now. `watched`: automatic checks are on.
    """

    ref: str
    name: str
    group: str
    hostname: str = ""
    status: str = ""
    word: str = ""
    tone: str = "neutral"
    trouble: str = ""
    broken: str = ""
    no_dns: bool = False
    next_step: str = ""
    watched: bool = False
    since: datetime | None = None
    read_at: datetime | None = None
    fresh: bool = False
    failure: InterfaceError | None = None
    retries: bool = False

    @property
    def is_due(self) -> bool:
        """Whether the row should load, at most once a minute."""
        return not self.fresh and (self.retries or self.read_at is None or timezone.now() - self.read_at > FRESH_FOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A filter of the list: words in the name, ref or hostname, and a group. Empty members match all."""

    q: str = ""
    state: str = ""

    def fits(self, place: Place) -> bool:
        """Whether the place is shown. One whose present state is unknown may have the wanted one."""
        if place.group == "loading":
            return True
        text = f"{place.name} {place.ref} {place.hostname}".casefold()
        is_state = self.state in ("", place.group) or place.group == "failed"
        return is_state and all(word in text for word in self.q.casefold().split())


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    title: str
    places: tuple[Place, ...]


def list_places(workspace: Workspace, wanted: Wanted) -> tuple[list[Group], int]:
    """Return the wanted projects (M1) in groups by their last known state, and the number of all."""
    projects = sorted(workspace.management.projects.all(), key=lambda project: (project.name.casefold(), project.ref))
    fingerprint = workspace.fingerprint("management")
    known = {row.ref: row for row in Known.objects.filter(fingerprint=fingerprint)}
    since = {(step.ref, step.setup, step.status): step.first_seen_at for step in Step.objects.filter(fingerprint=fingerprint)}
    watched = watched_refs(workspace)
    places = []
    for project in projects:
        row = known.get(project.ref)
        if row is None:
            places.append(Place(ref=project.ref, name=project.name, group="loading"))
        else:
            since_then = since.get((row.ref, row.setup, row.status))
            places.append(_place(row, since_then, project.name, watched=project.ref in watched))
    shown = [place for place in places if wanted.fits(place)]
    groups = [Group(key, title, tuple(place for place in shown if place.group == key)) for key, title in GROUPS.items()]
    return groups, len(places)


def read_place(workspace: Workspace, ref: str, name: str, resolvers: Sequence[str]) -> Place:
    """Read one project (M15) and look its DNS records up.

    A failure stays in its row, beside the last known state if it says nothing about the token's rights.
    """
    watch = find_watch(workspace, ref)
    watched = watch is not None and watch.is_on
    try:
        memory = remember(workspace, ref, read(workspace, ref))
    except InterfaceError as failure:
        before = recall(workspace, ref) if isinstance(failure, UNANSWERED) else None
        last = Place(ref=ref, name=name, group="loading")
        if before:
            last = _place(before.known, _since(before), name, watched=watched)
        if isinstance(failure, SlowDown | Crowded):
            return replace(last, retries=True)
        return replace(last, group="failed", failure=failure, fresh=True)
    no_dns = bool(memory.known.setup) and not dns.examine(memory, resolvers).is_known
    return replace(_place(memory.known, _since(memory), name, watched=watched), fresh=True, no_dns=no_dns)


def _since(memory: Memory) -> datetime | None:
    return memory.steps.get(memory.known.status)


def _place(known: Known, since: datetime | None, name: str, *, watched: bool) -> Place:
    group = steps.group_of(known, since)
    return Place(
        ref=known.ref,
        name=name,
        group=group,
        hostname=known.hostname if known.setup else "",
        # Without a hostname the service reports an error; the status is our own.
        status=known.status if known.setup else "",
        word=ACTIVE_BROKEN if steps.is_broken(known) else steps.word_of(known.status),
        tone=TONES.get(group, "neutral"),
        trouble=known.troubles[0] if known.troubles else "",
        broken=known.broken_record if known.setup else "",
        next_step=steps.next_of(known),
        watched=watched,
        since=since,
        read_at=known.read_at,
    )
