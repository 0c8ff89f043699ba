"""The one sentence that says what is to be done about a hostname now, and the act that belongs to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.features.hostname.models import Check
from dashboard.features.hostname.rules.findings import Kind
from dashboard.features.hostname.services.watch import Watch
from dashboard.features.hostname.views.panel import Panel, Records, Row

WATCHED = "We keep checking and verify by ourselves. Activating waits for you."
UNWATCHED = "Check automatically, and we verify once the records are correct."


@dataclass(frozen=True, slots=True)
class NextStep:
    """A sentence, an explanation, and the primary act: activate, verify, watch or none ("")."""

    words: str
    text: str = ""
    act: str = ""


def next_step_of(panel: Panel, records: Records, check: Check, watch: Watch | None) -> NextStep:
    """Return what to do next. `check` is the last check, for records that aren't looked up yet."""
    if panel.is_active:
        return _once_active(records, check)
    if panel.step == 4:
        return NextStep("Activate it when you're ready.", "Sign-in then redirects to the new name.", "activate")
    is_watched = watch is not None and watch.is_on
    if not records.needed:
        return NextStep("Verify again in a moment.", act="verify")
    if records.is_unknown:
        return NextStep(_add(records.needed), "No resolver answered, so we can't tell whether they are there.")
    if records.looks_right:
        return _once_correct(panel, is_watched=is_watched)
    return NextStep(_wanted(records), WATCHED if is_watched else UNWATCHED, "" if is_watched else "watch")


def _wanted(records: Records) -> str:
    if not records.looked_up:
        return _add(records.needed)
    if records.wrong:
        return _add(records.wrong)
    if records.is_issuer_forbidden:
        return "Allow the certificate's issuer."
    return "Wait until every name server has the new records."


def _once_correct(panel: Panel, *, is_watched: bool) -> NextStep:
    if panel.step == 3:
        return NextStep("The certificate is on its way.", "It can take half an hour. Keep the CNAME.", "verify")
    return NextStep("All records are correct.", WATCHED if is_watched else "Ready to verify.", "verify")


def _once_active(records: Records, check: Check) -> NextStep:
    broken = f"Fix DNS: {check.broken_record}." if check.broken_record and not records.looked_up else ""
    if records.wrong or broken:
        words = _add(records.wrong) if records.wrong else broken
        return NextStep(words, "The hostname fails until this is fixed, and its certificate isn't renewed.")
    if check.is_invalid:
        return NextStep("The certificate is invalid.", check.problem)
    return NextStep("Keep this CNAME while you use the hostname.", "It also renews the certificate.")


def _add(rows: Sequence[Row]) -> str:
    """Name the records to add or to fix."""
    verb = "Fix" if any(row.finding and row.finding.kind is not Kind.MISSING for row in rows) else "Add"
    if len(rows) > 1:
        return f"{verb} these {len(rows)} records at your DNS provider."
    return f"{verb} this {'CNAME' if rows[0].type == 'CNAME' else f'{rows[0].type} record'} at your DNS provider."
