"""Results of checks of a hostname, and the history of its states, findings and certificates. Both belong to the project."""

from collections.abc import Iterable, Mapping

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.features.hostname.models import Check, Event, EventKind, Known, Verdict
from dashboard.features.hostname.services.certificate import Served

EVENTS_KEPT = 50
# The check of a setup that nobody has checked yet. Read-only.
UNCHECKED = Check()


def find_check(ref: str, setup: str) -> Check:
    """Return the results of the latest checks of a setup; an empty record if there were none."""
    return Check.objects.filter(ref=ref, setup=setup).first() or Check(ref=ref, setup=setup)


def find_checks(refs: Iterable[str]) -> dict[tuple[str, str], Check]:
    """Return the checks of several projects by ref and setup."""
    return {(check.ref, check.setup): check for check in Check.objects.filter(ref__in=list(refs))}


def since_of(refs: Iterable[str]) -> dict[tuple[str, str, str], Event]:
    """Return the event with which each state began, by ref, setup and status."""
    found = Event.objects.filter(kind=EventKind.STATE, ref__in=list(refs))
    return {(state.ref, state.setup, state.value): state for state in found}


def record_records(known: Known, check: Check, broken: str) -> None:
    """Save the result of a check of the DNS records: the first wrong one, or an empty text."""
    _keep(check, {"broken_record": broken, "records_at": timezone.now()})
    record_event(known, EventKind.DNS, broken)


def record_certificate(known: Known, check: Check, served: Served) -> None:
    """Save the certificate that a host serves."""
    found = {
        "verdict": served.verdict,
        "problem": served.problem,
        "issuer": served.issuer,
        "names": list(served.names),
        "expires_at": served.expires_at,
        "certificate_at": timezone.now(),
    }
    _keep(check, found)
    record_event(known, EventKind.CERTIFICATE, _words(served))


def record_event(known: Known, kind: EventKind, value: str) -> None:
    """Add a row to the history unless the latest one of this kind has the same value."""
    rows = Event.objects.filter(ref=known.ref, kind=kind)
    last = rows.order_by("-number").first()
    if last and (last.setup, last.value) == (known.setup, value):
        return
    number = last.number + 1 if last else 1
    event = Event(ref=known.ref, kind=kind, number=number, setup=known.setup, hostname=known.hostname, value=value)
    Event.objects.bulk_create([event], ignore_conflicts=True)
    rows.filter(number__lte=number - EVENTS_KEPT).delete()


def list_events(ref: str) -> QuerySet[Event]:
    """Return the project's history, latest first. Only for a person whose token can read its hostname now."""
    return Event.objects.filter(ref=ref).order_by("-first_seen_at", "-pk")


def _keep(check: Check, found: Mapping[str, object]) -> None:
    """Save only these members, as another process may have saved the others."""
    for name, value in found.items():
        setattr(check, name, value)
    Check.objects.update_or_create(ref=check.ref, setup=check.setup, defaults=found)


def _words(served: Served) -> str:
    """Return a line that differs for each new certificate."""
    if served.verdict is not Verdict.VERIFIED:
        return f"{served.verdict.label}: {served.problem}"
    return f"Verified: {served.issuer}, until {served.expires_at:%Y-%m-%d}"
