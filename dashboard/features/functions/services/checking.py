"""A change and what reading it back says: the service's yes is not the end of it."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.features.functions.services.words import Flags, flags_of, version_of, yes
from dashboard.interfaces.errors import InterfaceError, UnknownOutcome
from dashboard.interfaces.management.functions import Function
from dashboard.journal.models import Outcome
from dashboard.journal.recording import Change
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
    before: float | None,
) -> Checked:
    """Send, read back (M11), compare every flag, and write the result into the journal's row.

    When no answer comes to what was sent, reading back settles it: a newer version than `before` (None: there was no function)
    with the flags as sent means that it was done. `UnknownOutcome` goes up where that can't be told.
    """
    change.after = {**(change.after or {}), **flags.journaled()}
    try:
        send()
    except UnknownOutcome as lost:
        checked = _read_back(workspace, ref, slug, flags)
        newer = checked.function is not None and (before is None or checked.function.version > before)
        if not newer:
            raise
        change.message = f"No answer came. Reading back shows that it was done. {lost.text}".strip()
    else:
        checked = _read_back(workspace, ref, slug, flags)
    change.after |= _told(checked)
    if checked.findings:
        change.outcome = Outcome.FAILED
        change.message = " ".join(finding.sentence for finding in checked.findings)
    return checked


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
