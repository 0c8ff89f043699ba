"""A change and what reading it back says: the service's yes is not the end of it."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.features.functions.rules.labels import Flags, flags_of, version_of, yes
from dashboard.features.functions.services.details import find_function
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.functions import Function, FunctionStatus
from dashboard.jobs.settlement import Wanted
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Finding:
    """One member that reads back otherwise than it was sent."""

    name: str
    sent: str
    found: str

    @property
    def sentence(self) -> str:
        return f"{self.name} was sent as {self.sent} and reads back as {self.found}."


@dataclass(frozen=True, slots=True)
class Checked:
    """How a change ended. `function` is what was read back; None where that failed, then `unread` says why."""

    function: Function | None
    findings: tuple[Finding, ...] = ()
    unread: InterfaceError | None = None

    @property
    def is_well(self) -> bool:
        return not self.findings and self.unread is None


def send_and_read_back(
    workspace: Workspace,
    ref: str,
    slug: str,
    flags: Flags,
    change: Change,
    *,
    send: Callable[[], Function],
) -> Checked:
    """Send, read back (M11), compare every flag, and write the result into the journal's entry."""
    change.after = {**(change.after or {}), **flags.journaled()}
    send()
    checked = _read_back(workspace, ref, slug, flags)
    change.after |= _told(checked)
    if checked.findings:
        change.outcome = Outcome.FAILED
        change.message = " ".join(finding.sentence for finding in checked.findings)
    return checked


def touched(slug: str) -> str:
    """What every change of a function touches."""
    return f"function {slug}"


def wanted_of(slug: str, flags: Flags, *, before: float | None) -> dict[str, object]:
    """The state after a change: a newer version than `before` (None: there was no function) with these flags."""
    return {"slug": slug, "before": before, "name": flags.name, "verify_jwt": flags.verify_jwt, "import_map": flags.import_map}


def read_wanted(workspace: Workspace, ref: str, wanted: Wanted) -> Function | None:
    return find_function(workspace, ref, wanted["slug"])


def is_changed(function: Function | None, wanted: Wanted) -> bool:
    if function is None or function.status is FunctionStatus.REMOVED:
        return False
    flags = Flags(wanted["name"], verify_jwt=wanted["verify_jwt"], import_map=wanted["import_map"])
    return (wanted["before"] is None or function.version > wanted["before"]) and not findings_of(flags, function)


def is_deleted(function: Function | None, _wanted: Wanted) -> bool:
    return function is None or function.status is FunctionStatus.REMOVED


def findings_of(flags: Flags, function: Function) -> tuple[Finding, ...]:
    """What differs between the flags that were sent and those that are there."""
    found = flags_of(function)
    differing = []
    if flags.name != found.name:
        differing.append(Finding("The name", f"“{flags.name}”", f"“{found.name}”"))
    if flags.verify_jwt != found.verify_jwt:
        differing.append(Finding("verify_jwt", yes(flags.verify_jwt), yes(found.verify_jwt)))
    if flags.import_map is not None and found.import_map is not None and flags.import_map != found.import_map:
        differing.append(Finding("import_map", yes(flags.import_map), yes(found.import_map)))
    return tuple(differing)


def _read_back(workspace: Workspace, ref: str, slug: str, flags: Flags) -> Checked:
    try:
        function = workspace.management.functions.get(ref, slug)
    except InterfaceError as unread:
        return Checked(function=None, unread=unread)
    return Checked(function=function, findings=findings_of(flags, function))


def _told(checked: Checked) -> dict[str, object]:
    if checked.function is None:
        return {"read back": "failed"}
    found = flags_of(checked.function).journaled() if checked.findings else "as sent"
    return {"read back": found, "version": version_of(checked.function.version)}
