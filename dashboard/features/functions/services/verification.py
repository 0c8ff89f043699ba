"""Verify a change by reading the function back (M11), since the service's confirmation alone proves little."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.features.functions.rules import Flags, deployed, flags_of, on_or_off, version_of
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.management.functions import Function
from dashboard.jobs.settlement import Wanted
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import Change
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A flag that differs from what was sent."""

    name: str
    sent: str
    found: str

    @property
    def sentence(self) -> str:
        return f"{self.name} was sent as {self.sent} but is {self.found}."


@dataclass(frozen=True, slots=True)
class Checked:
    """A confirmed change, after verification. `function` is None if it could not be read; `unread` says why."""

    function: Function | None
    mismatches: tuple[Mismatch, ...] = ()
    unread: InterfaceError | None = None


def send_and_verify(
    workspace: Workspace,
    ref: str,
    slug: str,
    flags: Flags,
    change: Change,
    *,
    send: Callable[[], Function],
) -> Checked:
    """Send, read back (M11), compare every flag, and journal the result."""
    change.after = {**(change.after or {}), **flags.journaled()}
    send()
    checked = _verify(workspace, ref, slug, flags)
    change.after |= _journaled(checked)
    if checked.mismatches:
        change.outcome = Outcome.FAILED
        change.message = " ".join(finding.sentence for finding in checked.mismatches)
    return checked


def touched(slug: str) -> str:
    """Return the name by which settlement knows any change of a function."""
    return f"function {slug}"


def wanted_of(slug: str, flags: Flags, *, before: float | None) -> dict[str, object]:
    """Return the state after a change: these flags, and a version after `before`, which is None for a new function."""
    return {"slug": slug, "before": before, "name": flags.name, "verify_jwt": flags.verify_jwt, "import_map": flags.import_map}


def read_state(workspace: Workspace, ref: str, wanted: Wanted) -> Function | None:
    try:
        return workspace.management.functions.get(ref, wanted["slug"])
    except NotFound:
        return None


def is_changed(function: Function | None, wanted: Wanted) -> bool:
    function = deployed(function)
    if function is None:
        return False
    flags = Flags(wanted["name"], verify_jwt=wanted["verify_jwt"], import_map=wanted["import_map"])
    return (wanted["before"] is None or function.version > wanted["before"]) and not mismatches_of(flags, function)


def is_deleted(function: Function | None, _wanted: Wanted) -> bool:
    return deployed(function) is None


def mismatches_of(flags: Flags, function: Function) -> tuple[Mismatch, ...]:
    """Return the differences between flags that were sent and those at the service."""
    found = flags_of(function)
    mismatches = []
    if flags.name != found.name:
        mismatches.append(Mismatch("The name", f"“{flags.name}”", f"“{found.name}”"))
    if flags.verify_jwt != found.verify_jwt:
        mismatches.append(Mismatch("verify_jwt", on_or_off(flags.verify_jwt), on_or_off(found.verify_jwt)))
    if flags.import_map is not None and found.import_map is not None and flags.import_map != found.import_map:
        mismatches.append(Mismatch("import_map", on_or_off(flags.import_map), on_or_off(found.import_map)))
    return tuple(mismatches)


def _verify(workspace: Workspace, ref: str, slug: str, flags: Flags) -> Checked:
    try:
        function = workspace.management.functions.get(ref, slug)
    except InterfaceError as unread:
        return Checked(function=None, unread=unread)
    return Checked(function=function, mismatches=mismatches_of(flags, function))


def _journaled(checked: Checked) -> dict[str, object]:
    if checked.function is None:
        return {"verified": "failed"}
    found = flags_of(checked.function).journaled() if checked.mismatches else "as sent"
    return {"verified": found, "version": version_of(checked.function.version)}
