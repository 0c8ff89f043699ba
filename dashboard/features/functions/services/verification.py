"""Verify a change by the function that the service answers with (M9, M12), and recognise one whose answer was lost (M11)."""

from dataclasses import dataclass

from dashboard.features.functions.rules import FLAG_LABELS, Flags, deployed, flags_of, on_or_off, version_of
from dashboard.interfaces.errors import NotFound
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
        return f"“{FLAG_LABELS.get(self.name, self.name)}” was sent as {self.sent} but is {self.found}."


@dataclass(frozen=True, slots=True)
class Checked:
    """A confirmed change, after verification."""

    function: Function
    mismatches: tuple[Mismatch, ...] = ()


def verify(function: Function, flags: Flags, change: Change) -> Checked:
    """Compare every flag that was sent with the function in the answer, and journal the result."""
    mismatches = mismatches_of(flags, function)
    found = flags_of(function).journaled() if mismatches else "as sent"
    change.after = {**(change.after or {}), "verified": found, "version": version_of(function.version)}
    if mismatches:
        change.outcome = Outcome.FAILED
        change.message = " ".join(mismatch.sentence for mismatch in mismatches)
    return Checked(function, mismatches)


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
