"""Facts about a project's custom hostname (M15)."""

from collections.abc import Mapping
from datetime import datetime

from dashboard.facts.registry import Fact, Need, Picture, Problem, Shown
from dashboard.features.hostname.models import STATUS_LIMIT, Check
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services.checks import UNCHECKED, find_checks
from dashboard.features.hostname.services.fleet import TAKE_OVER, since_of
from dashboard.features.hostname.services.hostname import read, says_none, setup_of, troubles_of
from dashboard.features.hostname.services.watch import find_dailies
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.tokens.workspace import Workspace

Value = Mapping[str, str]
STUCK = Problem("hostname-stuck", "hostname stuck", "hostnames stuck", urgent=True)
BROKEN = Problem("hostname-broken", "hostname broken", "hostnames broken", urgent=True)
READY = Problem("hostname-ready", "ready to activate")
UNCHECKED_DAILY = Problem("hostname-unchecked", "daily check ended", "daily checks ended")
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
    since, checks, dailies = since_of(found), find_checks(found), find_dailies(workspace, found)
    shown = {}
    for ref, value in found.items():
        setup, daily = value.get("setup", ""), dailies.get(ref)
        check = checks.get((ref, setup), UNCHECKED)
        began = since.get((ref, setup, value["status"]))
        shown[ref] = _shown(value, check, began.first_seen_at if began else None, ended=daily.ended if daily else "")
    return shown


def _shown(value: Value, check: Check, since: datetime | None, *, ended: str) -> Shown:
    status, trouble, host = value["status"], value["trouble"], value["hostname"]
    standing = steps.standing_of(status, check, since, is_blocked=bool(trouble))
    group, step, need = standing.group, steps.step_of(status), None
    if group == "stuck":
        words = f"{host}: {trouble}" if trouble else f"{host} has been waiting for at least a day"
        need = Need(STUCK, words, "Open hostname", "hostname:index")
    elif group == "broken" or (group == "yours" and check.broken_record):
        words = check.broken_record or f"{host}: the certificate is invalid. {check.problem}"
        need = Need(BROKEN, words, "Fix DNS" if check.broken_record else "Check certificate", "hostname:index")
    elif group == "yours":
        need = Need(READY, f"{host} is ready to activate", "Activate hostname", "hostname:index")
    elif ended and steps.is_active(status):
        need = Need(UNCHECKED_DAILY, f"The daily check of {host} ended. {ended}", TAKE_OVER, "hostname:index")
    detail = host if step != 1 else ""
    return Shown(standing.word, MARKS[group], tone=standing.tone, number=step or 0, detail=detail, need=need)


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
    icon="globe",
    picture=Picture("hostname/_small_steps.html", _picture),
)
