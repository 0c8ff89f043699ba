"""What overviews show of a project's custom hostname (M15)."""

from collections.abc import Mapping
from datetime import datetime

from dashboard.facts.registry import Fact, Need, Shown
from dashboard.features.hostname.models import STATUS_LIMIT, Known, Step
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services.fleet import TONES
from dashboard.features.hostname.services.hostname import read, says_none, troubles_of
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.tokens.workspace import Workspace

Value = Mapping[str, str]
NONE = {"status": HostnameStatus.NOT_STARTED.value, "hostname": "", "trouble": ""}


def _summarize(found: HostnameConfiguration) -> Value:
    texts = (found.status.value[:STATUS_LIMIT], found.custom_hostname, next(iter(troubles_of(found)), ""))
    # PostgreSQL can't store NUL.
    return dict(zip(NONE, (text.replace("\0", "\ufffd") for text in texts), strict=True))


def _absent(nothing: NotFound) -> Value | None:
    return NONE if says_none(nothing) else None


def _show(workspace: Workspace, found: Mapping[str, Value]) -> dict[str, Shown]:
    seen = Step.objects.filter(fingerprint=workspace.fingerprint("management"), ref__in=found)
    since = {(step.ref, step.status): step.first_seen_at for step in seen}
    return {ref: _shown(value, since.get((ref, value["status"]))) for ref, value in found.items()}


def _shown(value: Value, since: datetime | None) -> Shown:
    trouble, host = value["trouble"], value["hostname"]
    group = steps.group_of(Known(status=value["status"], troubles=[trouble] if trouble else []), since)
    need = None
    if group == "stuck":
        words = f"{host}: {trouble}" if trouble else f"{host} has been waiting for a day"
        need = Need(words, "Open hostname", "hostname:index", urgent=True)
    elif group == "yours":
        need = Need(f"{host} is ready to activate", "Activate hostname", "hostname:index")
    step = steps.step_of(value["status"])
    word = "Stuck" if group == "stuck" else steps.word_of(value["status"])
    return Shown(word, tone=TONES.get(group, ""), number=step or 0, detail=host if step != 1 else "", need=need)


FACT = Fact("hostname", "Hostname", "hostname:index", 20, _show, operation="M15", read=read, summarize=_summarize, absent=_absent)
