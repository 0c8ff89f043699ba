"""Facts about a project's custom hostname (M15), and what the list of all hostnames adds to them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, timedelta

from django.utils import timezone
from django.utils.text import capfirst

from dashboard.facts.overview import overviews
from dashboard.facts.registry import HOSTNAMES, PROJECT, PROJECTS, Fact, Need, Picture, Problem, Shown, Turned
from dashboard.features.hostname.models import STATUS_LIMIT, Check, Event
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services.checks import UNCHECKED, find_checks, since_of
from dashboard.features.hostname.services.hostname import read, says_none, setup_of, troubles_of
from dashboard.features.hostname.services.watch import Daily, find_dailies, start_daily, watched_refs
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.tokens import names
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.states import down_sentence
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import exact, relative

Value = Mapping[str, str]
STUCK = Problem("hostname-stuck", "hostname stuck", "hostnames stuck", urgent=True)
BROKEN = Problem("hostname-broken", "hostname broken", "hostnames broken", urgent=True)
READY = Problem("hostname-ready", "ready to activate")
RECORDS = Problem("hostname-records", "hostname needs DNS records", "hostnames need DNS records")
UNCHECKED_DAILY = Problem("hostname-unchecked", "daily check ended", "daily checks ended")
TAKE_OVER = "Take over the daily check"
# What a small cell shows instead of the word, by group.
MARKS = {"stuck": "!", "broken": "!", "odd": "?", "yours": "✓", "waiting": "…", "active": "✓", "none": "None"}
NONE = {"status": HostnameStatus.NOT_STARTED.value, "hostname": "", "trouble": "", "setup": ""}


def _summarize(found: HostnameConfiguration) -> Value:
    texts = (found.status.value[:STATUS_LIMIT], found.custom_hostname, next(iter(troubles_of(found)), ""), setup_of(found))
    # PostgreSQL can't store NUL.
    return dict(zip(NONE, (text.replace("\0", "\ufffd") for text in texts), strict=True))


def _absent(nothing: NotFound) -> Value | None:
    return NONE if says_none(nothing) else None


def _show(workspace: Workspace, found: Mapping[str, Value]) -> dict[str, Shown]:
    began, checks, dailies = _began(found), find_checks(found), find_dailies(workspace, found)
    shown = {
        ref: _shown(value, checks.get((ref, value.get("setup", "")), UNCHECKED), began[ref], dailies.get(ref))
        for ref, value in found.items()
    }
    # Nothing can be done there until the project is up.
    down = [ref for ref, state in workspace.known_states().items() if ref in shown and down_sentence(state)]
    return shown | {ref: replace(shown[ref], step="") for ref in down}


def _shown(value: Value, check: Check, began: Event | None, daily: Daily | None) -> Shown:
    status, trouble, host = value["status"], value["trouble"], value["hostname"]
    standing = steps.standing_of(status, check, began.first_seen_at if began else None, is_blocked=bool(trouble))
    group, need, label = standing.group, None, steps.next_of(status, check, is_blocked=bool(trouble))
    if group == "stuck":
        words = check.broken_record or capfirst(trouble) or f"{host} has been waiting for at least a day"
        need = Need(STUCK, words, label, "hostname:index")
    elif group == "broken" or (group == "yours" and check.broken_record):
        words = check.broken_record or f"The certificate is invalid. {check.problem}"
        need = Need(BROKEN, words, label, "hostname:index")
    elif group == "yours":
        need = Need(READY, f"{host} is ready to activate", label, "hostname:index")
    elif group == "waiting" and check.broken_record:
        need = Need(RECORDS, check.broken_record, label, "hostname:index")
    elif daily and daily.ended and steps.is_active(status):
        need = Need(UNCHECKED_DAILY, f"The daily check of {host} ended. {daily.ended}", TAKE_OVER, "hostname:index")
    return Shown(
        standing.word,
        MARKS[group],
        tone=standing.tone,
        number=steps.step_of(status) or 0,
        detail=_host(value),
        need=need,
        step=label,
    )


def _began(found: Mapping[str, Value]) -> dict[str, Event | None]:
    """Return the event with which each present state began, by ref."""
    events = since_of(found)
    return {ref: events.get((ref, value.get("setup", ""), value["status"])) for ref, value in found.items()}


def _host(value: Value) -> str:
    return value["hostname"] if steps.step_of(value["status"]) != 1 else ""


def _show_host(_workspace: Workspace, found: Mapping[str, Value]) -> dict[str, Shown]:
    return {ref: Shown(_host(value)) for ref, value in found.items()}


def _show_since(_workspace: Workspace, found: Mapping[str, Value]) -> dict[str, Shown]:
    return {ref: _since(began) for ref, began in _began(found).items() if began and _host(found[ref])}


def _since(began: Event) -> Shown:
    """Say since when a state is known. The first one began before it was first seen."""
    moment = began.first_seen_at
    is_today = timezone.now() - moment < timedelta(days=1)
    least = f"At least since {moment.astimezone(UTC):{'%H:%M UTC' if is_today else '%-d %b %Y'}}"
    text = least if began.number == 1 else relative(moment)
    return Shown(text, number=moment.timestamp(), detail=exact(moment))


def _show_check(workspace: Workspace, found: Mapping[str, Value]) -> dict[str, Shown]:
    watched, dailies = watched_refs(workspace, found), find_dailies(workspace, found)
    return {ref: _check(dailies.get(ref), is_watched=ref in watched) for ref, value in found.items() if _host(value)}


def _check(daily: Daily | None, *, is_watched: bool) -> Shown:
    if is_watched:
        return Shown("Until verified", number=1, detail="Records are checked automatically, and verified once correct.")
    if not daily:
        return Shown("Off")
    owner = "you" if daily.is_mine else daily.owner
    if daily.is_on:
        return Shown("Daily", number=2, detail=f"Records and certificate are checked daily for {owner}.")
    return Shown("Ended", tone="attention", number=3, detail=daily.ended)


def dailies_of(workspace: Workspace, found: Mapping[str, Value | None]) -> Turned | None:
    """Return of how many active hostnames the daily check is on, and for whom; None without an active one."""
    if not (active := _active(found)):
        return None
    on = [daily for daily in find_dailies(workspace, active).values() if daily.is_on]
    mine = sum(daily.is_mine for daily in on)
    words = f"{len(on)} of {len(active)} active hostnames" if 0 < len(on) < len(active) else ""
    if len(on) == len(active) and mine < len(on):
        words = f"{len(on) - mine} of {len(on)} for others"
    return Turned("Check all projects daily", "hostnames:daily", len(active), len(on), ends=mine > 0, words=words)


def _active(found: Mapping[str, Value | None]) -> list[str]:
    return [ref for ref, value in found.items() if value and steps.is_active(value["status"])]


def start_dailies(workspace: Workspace) -> int:
    """Start the daily check of each hostname that is known to be active and isn't checked. Return how many. Calls no service."""
    learn_projects(workspace)
    refs = {project.ref for fingerprint in workspace.listing_fingerprints for project in names.known(fingerprint)}
    known = overviews(workspace, sorted(refs), HOSTNAMES)
    active = _active({ref: found.cells[FACT.key].value for ref, found in known.items()})
    dailies = find_dailies(workspace, active)
    missing = [ref for ref in active if ref not in dailies or not dailies[ref].is_on]
    for ref in missing:
        start_daily(workspace, ref)
    return len(missing)


def _picture(_workspace: Workspace, _ref: str, value: Value) -> tuple[steps.Step, ...] | None:
    return steps.list_steps(value["status"], {}) if value["hostname"] else None


FACT = Fact(
    "hostname",
    "Hostname",
    "hostname:index",
    20,
    _show,
    operation="M15",
    read=read,
    summarize=_summarize,
    absent=_absent,
    tabs=(PROJECT, PROJECTS, HOSTNAMES),
    icon="globe",
    picture=Picture("hostname/_small_steps.html", _picture),
)
COLUMNS = (
    Fact("host", "Name", "hostname:index", 21, _show_host, tabs=(HOSTNAMES,), of=FACT.key, is_name=True),
    Fact("since", "Since", "hostname:index", 22, _show_since, tabs=(HOSTNAMES,), of=FACT.key),
    Fact("check", "Checks", "hostname:index", 23, _show_check, tabs=(HOSTNAMES,), of=FACT.key),
)
