"""Load the known facts of projects and spaces without a call, and refresh those of one place."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from math import ceil
from typing import Any, NamedTuple

from django.utils import timezone

from dashboard.facts import budget, memory, registry
from dashboard.facts.memory import Kept
from dashboard.facts.registry import PROJECT, Fact, Need, Shown
from dashboard.interfaces.errors import TokenRefused
from dashboard.tokens import spaces
from dashboard.tokens.last_known import Readings
from dashboard.tokens.models import Kind
from dashboard.tokens.refusals import covers
from dashboard.tokens.states import down_sentence
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages import navigation
from dashboard.web.process.database import give_back
from dashboard.web.process.parallel import try_all

FRESH_FOR = timedelta(minutes=15)
# Somebody who looks for an IP address, or reviews one fact of all places, acts on it, so older facts are read again first.
REVIEWED_FRESH_FOR = timedelta(minutes=1)
# First pause after a read without an answer. It doubles each time, up to the fact's own interval.
RETRY_AFTER = timedelta(seconds=15)
# Facts due within this time are refreshed together by one request.
TOGETHER = timedelta(minutes=1)
# How long a request waits for the rate limit before it tells the browser to come back.
PATIENCE_SECONDS = 3.0
# How long a browser waits if the service doesn't answer. A paused project does answer, with an error, so it delays no others.
PAUSE_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A fact of one place. `shown` is None if nothing is known; `value` is what it was made from; `failure` says why the latest
    read failed.

    `due_at` is when it may be read again; None if it isn't read. `is_covered`: the grant in use covers it. `is_unanswered`: the
    service gave no answer.
    """

    fact: Fact
    shown: Shown | None = None
    read_at: datetime | None = None
    failure: str = ""
    due_at: datetime | None = None
    is_covered: bool = True
    is_unanswered: bool = False
    value: Any = None

    @property
    def is_due(self) -> bool:
        return self.due_at is not None and self.due_at <= timezone.now()


@dataclass(frozen=True)
class Overview:
    """All facts of one place in a tab, by key."""

    place: str
    cells: dict[str, Cell]
    tab: str = PROJECT

    @cached_property
    def needs(self) -> list[Need]:
        """The problems, urgent ones first; none of a removed place."""
        found = [] if self.is_gone else [cell.shown.need for cell in self.cells.values() if cell.shown and cell.shown.need]
        return sorted(found, key=lambda need: not need.problem.urgent)

    @cached_property
    def lead(self) -> Cell | None:
        """The fact that the tab reviews, if it reviews one."""
        return next((cell for cell in self.cells.values() if cell.fact.review_in(self.tab)), None)

    @cached_property
    def read_at(self) -> datetime | None:
        """When the oldest fact was read."""
        return min((cell.read_at for cell in self.cells.values() if cell.read_at), default=None)

    @property
    def names(self) -> list[str]:
        return [cell.shown.text for cell in self.cells.values() if cell.fact.is_name and cell.shown]

    @cached_property
    def is_gone(self) -> bool:
        """Whether the place was removed."""
        return _is_gone(self.cells)

    @cached_property
    def due(self) -> list[Fact]:
        return [cell.fact for cell in self.cells.values() if cell.is_due]

    @cached_property
    def later(self) -> tuple[int, int]:
        """Return the seconds until the next facts are due, and how many: an open page then refreshes them."""
        moments = sorted(cell.due_at for cell in self.cells.values() if cell.due_at and not cell.is_due)
        together = [moment for moment in moments if moment < moments[0] + TOGETHER]
        return (ceil((together[-1] - timezone.now()).total_seconds()), len(together)) if together else (0, 0)

    @cached_property
    def old_since(self) -> datetime | None:
        """Return when the oldest fact was read; None if all are younger than 15 minutes and no read failed."""
        oldest = self.read_at
        return oldest if oldest and (self.failure or oldest < timezone.now() - FRESH_FOR) else None

    @cached_property
    def failure(self) -> str:
        return next((cell.failure for cell in self.cells.values() if cell.failure), "")


class Refreshed(NamedTuple):
    """The outcome of a refresh. `wait`: seconds until the rest can be read, or 0; `note`: what checks after it say."""

    wait: float
    note: str


def columns(workspace: Workspace, tab: str) -> list[Fact]:
    """Return the facts of a tab that this person's tokens can show."""
    has = {Kind.MANAGEMENT: workspace.can_manage, Kind.STORAGE: spaces.mode() == "per project"}
    return [fact for fact in registry.facts() if tab in fact.tabs and has[fact.kind] and fact.is_available()]


def overviews(
    workspace: Workspace,
    places: Sequence[str],
    tab: str = PROJECT,
    address: str = "",
    *,
    anew: bool = False,
    is_checked: bool = False,
) -> dict[str, Overview]:
    """Return what is known of each place for a tab, and of an IP address there. Calls no service.

    `anew`: a person asked to read again what is older than a minute. `is_checked`: all was just read, one place after the other,
    so that a minute ago is no reason to read it again.
    """
    tokens, states = memory.tokens_of(workspace, places), workspace.known_states()
    kept = memory.load(places, tokens)
    found: dict[str, dict[str, Cell]] = {place: {} for place in places}
    facts = columns(workspace, tab)
    sources = {source: source(workspace, places) for source in {fact.source for fact in facts} if source}
    for fact in facts:
        rows = {place: kept.get((place, fact.of or fact.key)) for place in places}
        review = fact.review_in(tab)
        fresh_for = REVIEWED_FRESH_FOR if (address or review) and not is_checked else FRESH_FOR
        checked = review.checked(workspace, places) if review else places
        known = sources[fact.source] if fact.source else {}
        shown = dict(_show(workspace, fact, rows, known, address))
        if fact.unasked and not address:
            missing = [place for place in rows if not tokens[fact.kind, place] and not down_sentence(states.get(place, ""))]
            shown |= {place: Shown("", need=fact.unasked(place)) for place in missing}
        for place, row in rows.items():
            if _is_covered(workspace, fact, place):
                is_readable = bool(fact.read and tokens[fact.kind, place])
                due_at = _due_at(row, fresh_for) if is_readable else None
                unchecked = not is_checked and row and not row.failure and place not in checked
                if due_at and (unchecked or (anew and _due_at(row, REVIEWED_FRESH_FOR) <= timezone.now())):
                    due_at = timezone.now()
                kept_row = _explained(row, states.get(place, ""))
                found[place][fact.key] = _cell(fact, kept_row, shown.get(place), value=known.get(place), due_at=due_at)
            else:
                found[place][fact.key] = Cell(fact, is_covered=False)
    return {place: Overview(place, _without_reads(cells) if _is_gone(cells) else cells, tab) for place, cells in found.items()}


def refresh(workspace: Workspace, place: str, tab: str = PROJECT, address: str = "", *, anew: bool = False) -> Refreshed:
    """Read the due facts of one place in a tab, as the limits allow."""
    due = overviews(workspace, [place], tab, address, anew=anew)[place].due
    ends = time.monotonic() + PATIENCE_SECONDS
    # Save readings as facts only: those of 200 projects would push all other last known data out.
    reader = Workspace(workspace.person, readings=Readings(kept=frozenset()))
    wait, words, notes = 0.0, "", list[str]()
    while due:
        groups = _by_token(workspace, place, due)
        leases = [budget.claim(fingerprint, len(facts)) for fingerprint, facts in groups.items()]
        batch = [fact for lease in leases for fact in groups[lease.fingerprint][: lease.calls]]
        if not batch:
            wait = min((lease.wait for lease in leases), default=0.0)
            if time.monotonic() + wait > ends:
                break
            give_back()
            time.sleep(wait)
            continue
        outcomes = try_all(*[partial(_read, reader, fact, place) for fact in batch])
        errors = [outcome.error for outcome in outcomes if outcome.error]
        rest = reader.seconds_below(budget.AT_ONCE)
        for lease in leases:
            budget.release(lease, rest=rest)
        for fact, outcome in zip(batch, outcomes, strict=True):
            if not outcome.error and (review := fact.review_in(tab)):
                notes.append(review.check(workspace, place, outcome.value))
        due = [fact for fact in due if fact not in batch]
        wait = rest or (PAUSE_SECONDS if any(error.status is None for error in errors) else 0.0)
        words = next((error.text for error in errors if isinstance(error, TokenRefused)), words)
        if wait or words:
            break
    reader.save_readings(words)
    return Refreshed(wait, " ".join(filter(None, notes)))


def _show(
    workspace: Workspace, fact: Fact, rows: Mapping[str, Kept | None], found: Mapping[str, Any], address: str
) -> Mapping[str, Shown]:
    """Return what is shown of a fact by place. While an address is looked for, other facts tell no needs."""
    values = {place: row.value for place, row in rows.items() if row and row.read_at}
    if address and fact.find:
        return {place: fact.find(value, address) for place, value in values.items()}
    if not fact.read and not fact.of:
        values = {place: values.get(place, found.get(place)) for place in rows}
    shown = fact.show(workspace, values) if values else {}
    return {place: replace(one, need=None) for place, one in shown.items()} if address else shown


def _is_covered(workspace: Workspace, fact: Fact, place: str) -> bool:
    namespace = fact.view.partition(":")[0]
    return fact.kind == Kind.STORAGE or covers(workspace, place, navigation.section_of(namespace))


def _cell(fact: Fact, row: Kept | None, shown: Shown | None, *, value: Any, due_at: datetime | None) -> Cell:
    if not fact.read:
        return Cell(fact, shown, value=value)
    return Cell(
        fact,
        shown,
        row.read_at if row else None,
        row.failure if row else "",
        due_at,
        is_unanswered=bool(row and row.unanswered),
        value=row.value if row and row.read_at else value,
    )


def _explained(row: Kept | None, state: str) -> Kept | None:
    """Return the row with the project's state as its failure, if that explains one."""
    sentence = down_sentence(state) if row and row.failure else ""
    return row._replace(failure=sentence) if row and sentence else row


def _due_at(row: Kept | None, fresh_for: timedelta) -> datetime:
    return row.tried_at + _pause(row, fresh_for) if row else timezone.now()


def _pause(row: Kept, fresh_for: timedelta) -> timedelta:
    return min(RETRY_AFTER * 2 ** (row.unanswered - 1), fresh_for) if row.unanswered else fresh_for


def _is_gone(cells: Mapping[str, Cell]) -> bool:
    return any(cell.shown and cell.shown.is_gone for cell in cells.values())


def _without_reads(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """Return the cells of a removed place, without what was read from the service: it no longer holds."""
    return {key: Cell(cell.fact) if cell.fact.operation or cell.fact.of else cell for key, cell in cells.items()}


def _by_token(workspace: Workspace, place: str, due: Sequence[Fact]) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in due:
        found.setdefault(workspace.fingerprint(fact.kind, place), []).append(fact)
    return found


def _read(reader: Workspace, fact: Fact, place: str) -> object:
    return fact.read(reader, place) if fact.read else None
