"""The hostnames of all projects: the list (M1) with last known states, and the current state of each row (M15 and DNS)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Check, Event, EventKind, Known
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services import dns
from dashboard.features.hostname.services.checks import UNCHECKED, find_checks
from dashboard.features.hostname.services.hostname import Memory, read, recall, remember
from dashboard.features.hostname.services.watch import Daily, find_dailies, find_daily, find_watch, watched_refs
from dashboard.interfaces.errors import Crowded, InterfaceError, SlowDown
from dashboard.tokens.last_known import UNANSWERED
from dashboard.tokens.refusals import covers
from dashboard.tokens.workspace import Workspace

FRESH_FOR = timedelta(minutes=1)

# The groups in page order, those that need a person first.
GROUPS = {
    "stuck": "Stuck",
    "broken": "Broken",
    "odd": "Unknown state",
    "yours": "Ready to activate",
    "failed": "Unreachable",
    "loading": "Loading",
    "waiting": "Waiting",
    "active": "Active",
    "none": "Not set up",
    "removed": "Removed",
}
TAKE_OVER = "Take over the daily check"


@dataclass(frozen=True, slots=True)
class Place:
    """A project and its hostname.

    `fresh`: read now (or removed), else the last known state; `failure`: why it couldn't be read. `retries`: why the row loads
    again later. `broken`: the first wrong DNS record. `certificate`: why the served certificate is invalid. `no_dns`: no resolver
    answered just now. `watched`: automatic checks are on. `ended`: why the daily one stopped. `is_older`: the state began before
    it was first seen, so `since` is the latest possible moment.
    """

    ref: str
    name: str
    group: str
    hostname: str = ""
    word: str = ""
    tone: str = "neutral"
    trouble: str = ""
    broken: str = ""
    certificate: str = ""
    no_dns: bool = False
    next_step: str = ""
    watched: bool = False
    ended: str = ""
    since: datetime | None = None
    is_older: bool = False
    read_at: datetime | None = None
    fresh: bool = False
    failure: InterfaceError | None = None
    retries: str = ""

    @property
    def is_due(self) -> bool:
        """Whether the row should load. At most once a minute."""
        return not self.fresh and (bool(self.retries) or self.read_at is None or timezone.now() - self.read_at > FRESH_FOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A filter of the list: words in the name, ref or hostname, and a group. Empty members match all."""

    q: str = ""
    state: str = ""

    def fits(self, place: Place) -> bool:
        """Whether the filter matches the place. A place whose current state is unknown matches every group."""
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
    """Return the wanted projects (M1), grouped by last known state, and the number of all that the person may see."""
    listed = [project for project in workspace.management.projects.all() if covers(workspace, project.ref, "hostname")]
    projects = sorted(listed, key=lambda project: (project.name.casefold(), project.ref))
    mine = {project.ref: workspace.fingerprint("management", project.ref) for project in projects}
    rows = Known.objects.filter(fingerprint__in=set(mine.values()))
    known = {row.ref: row for row in rows if mine.get(row.ref) == row.fingerprint}
    since, checks = since_of(known), find_checks(known)
    watched, dailies = watched_refs(workspace, list(mine)), find_dailies(workspace, known)
    places = []
    for project in projects:
        row = known.get(project.ref)
        if project.is_removed:
            places.append(Place(ref=project.ref, name=project.name, group="removed", word="Removed", fresh=True))
        elif row is None:
            places.append(Place(ref=project.ref, name=project.name, group="loading"))
        else:
            check = checks.get((row.ref, row.setup), UNCHECKED)
            place = _place(row, check, since.get((row.ref, row.setup, row.status)), project.name)
            places.append(_with_checks(place, dailies.get(row.ref), watched=row.ref in watched))
    shown = [place for place in places if wanted.fits(place)]
    groups = [Group(key, title, tuple(place for place in shown if place.group == key)) for key, title in GROUPS.items()]
    return groups, len(places)


def read_place(workspace: Workspace, ref: str, name: str, resolvers: Sequence[str]) -> Place:
    """Read one project (M15) and look up its DNS records.

    A failure is shown in its row, beside the last known state unless it concerns the token's rights.
    """
    try:
        memory = remember(workspace, ref, read(workspace, ref))
    except InterfaceError as failure:
        before = recall(workspace, ref) if isinstance(failure, UNANSWERED) else None
        last = Place(ref=ref, name=name, group="loading")
        if before:
            last = _place_of(workspace, before, name)
        if isinstance(failure, SlowDown | Crowded):
            return replace(last, retries=str(failure))
        return replace(last, group="failed", failure=failure, fresh=True)
    no_dns = bool(memory.known.setup) and not dns.examine(memory, resolvers).is_known
    return replace(_place_of(workspace, memory, name), fresh=True, no_dns=no_dns)


def since_of(refs: Iterable[str]) -> dict[tuple[str, str, str], Event]:
    """Return the event with which each state began, by ref, setup and status."""
    found = Event.objects.filter(kind=EventKind.STATE, ref__in=list(refs))
    return {(state.ref, state.setup, state.value): state for state in found}


def _place_of(workspace: Workspace, memory: Memory, name: str) -> Place:
    known, watch = memory.known, find_watch(workspace, memory.known.ref)
    began = since_of([known.ref]).get((known.ref, known.setup, known.status))
    place = _place(known, memory.check, began, name)
    return _with_checks(place, find_daily(workspace, known.ref), watched=watch is not None and watch.is_on)


def _with_checks(place: Place, daily: Daily | None, *, watched: bool) -> Place:
    ended = daily.ended if daily and place.hostname else ""
    next_step = place.next_step or (TAKE_OVER if ended else "")
    return replace(place, watched=watched or (daily is not None and daily.is_on), ended=ended, next_step=next_step)


def _place(known: Known, check: Check, began: Event | None, name: str) -> Place:
    since = began.first_seen_at if began else None
    standing = steps.standing_of(known.status, check, since, is_blocked=bool(known.troubles))
    return Place(
        ref=known.ref,
        name=name,
        group=standing.group,
        hostname=known.hostname if known.setup else "",
        word=standing.word,
        tone=standing.tone,
        trouble=known.troubles[0] if known.troubles else "",
        broken=check.broken_record if known.setup else "",
        certificate=check.problem if standing.group == "broken" and check.is_invalid else "",
        next_step=steps.next_of(known, check),
        since=since,
        is_older=began is not None and began.number == 1,
        read_at=known.read_at,
    )
