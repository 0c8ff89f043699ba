"""Read, set up, verify, activate and delete a custom hostname (M15 to M19), and store what was read."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Min
from django.utils import timezone

from dashboard.features.hostname.models import STATUS_LIMIT, Check, Event, EventKind, Known, Purpose, SeenRecord
from dashboard.features.hostname.rules.names import plain
from dashboard.features.hostname.services.checks import find_check, record_event
from dashboard.features.hostname.services.watch import start_daily, start_watch, stop_daily, stop_watch
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.interfaces.management.projects import Project
from dashboard.jobs.settlement import Rule, Wanted, settle
from dashboard.journal.models import Entry, Outcome
from dashboard.links import follow
from dashboard.links.models import Share
from dashboard.tokens.states import down_sentence
from dashboard.tokens.workspace import Workspace

# States of a certificate in which the service still checks its TXT records.
CHECKED_STATES = frozenset({"", "initializing", "pending_validation"})
# What every change touches, since a project has one hostname.
TOUCHES = ("hostname",)
# The service's limit per project.
VERIFICATIONS_PER_MINUTE = 10
TOO_OFTEN = "Nothing was sent: the service allows ten verifications a minute. Try again in a minute."
# States of the host that need a person.
STUCK_HOST_STATES = frozenset({"moved", "blocked", "deleted", "pending_deletion", "pending_blocked"})


@dataclass(frozen=True, slots=True)
class Memory:
    """What is stored about a hostname.

    For this token, the last state and every record ever required; for everybody, the latest checks, and when each state began.
    """

    known: Known
    check: Check
    steps: dict[str, datetime]
    records: tuple[SeenRecord, ...]


def read(workspace: Workspace, ref: str) -> HostnameConfiguration | None:
    """Return the configuration (M15), None if nothing is set up. Uses no database."""
    try:
        found = workspace.management.hostname.get(ref)
    except NotFound as nothing:
        if says_none(nothing):
            return None
        raise
    return None if found.status is HostnameStatus.NOT_STARTED else found


def says_none(nothing: NotFound) -> bool:
    """Whether it means that no hostname is set up. Otherwise the project is gone or not visible to the token."""
    return "hostname" in nothing.text.lower()


def project_of(workspace: Workspace, ref: str) -> tuple[str, str]:
    """Return the project's name and the CNAME's target; the ref and "" if the token never read them."""
    projects = workspace.projects()
    name = next((project.name for project in projects if project.ref == ref), ref)
    # A new project has no host yet, so assume the domain of the others.
    domains = {domain for project in projects if (domain := _domain(project))}
    return name, f"{ref}.{domains.pop()}" if len(domains) == 1 else ""


def down_sentence_of(workspace: Workspace, ref: str) -> str:
    """Return that the project is paused or coming up; "" if it isn't. What was so a minute ago is read again (M1)."""
    sentence = down_sentence(workspace.known_states().get(ref, ""))
    if not sentence:
        return ""
    try:
        projects = workspace.management.projects.all()
    except InterfaceError:
        return sentence
    return next((down_sentence(project.status or "") for project in projects if project.ref == ref), "")


def _domain(project: Project) -> str:
    """Return the part after the ref in the project's hosts; empty if unknown."""
    before, _, domain = project.database.host.partition(f"{project.ref}.") if project.database else ("", "", "")
    return domain if before == "db." else ""


def remember(workspace: Workspace, ref: str, seen: HostnameConfiguration | None) -> Memory:
    """Store a state just read, and return everything stored."""
    if workspace.is_replay and (memory := recall(workspace, ref)):
        return memory
    fingerprint = workspace.fingerprint("management", ref)
    now = timezone.now()
    setup = setup_of(seen)
    with transaction.atomic():
        before = Known.objects.filter(fingerprint=fingerprint, ref=ref).first()
        facts = {"setup": setup, "read_at": now, **_facts(seen, before)}
        was = (before.setup, before.status) if before else None
        if before is None:
            known, _ = Known.objects.update_or_create(fingerprint=fingerprint, ref=ref, defaults=facts)
        else:
            known = before
            for name, value in facts.items():
                setattr(known, name, value)
            known.save(update_fields=facts)
        if was != (setup, known.status):
            record_event(known, EventKind.STATE, known.status)
        if seen is not None:
            _keep_records(fingerprint, ref, setup, seen)
    return _memory(known)


def remembered_lately(workspace: Workspace, refs: Collection[str]) -> set[str]:
    """Return the refs of which this person's credentials stored a state within the last minute."""
    mine = {ref: workspace.fingerprint("management", ref) for ref in refs}
    known = Known.objects.filter(fingerprint__in=set(mine.values()), read_at__gt=timezone.now() - timedelta(minutes=1))
    return {row.ref for row in known if mine.get(row.ref) == row.fingerprint}


def recall(workspace: Workspace, ref: str) -> Memory | None:
    """Return what is stored; None if this token has read nothing yet. Calls no service."""
    known = Known.objects.filter(fingerprint=workspace.fingerprint("management", ref), ref=ref).first()
    return _memory(known) if known else None


def troubles_of(seen: HostnameConfiguration) -> list[str]:
    """Return the problems that the service reports, as our sentences or in its words."""
    found = [_clean(problem)[:300] for problem in seen.problems[:8]]
    certificate = seen.certificate_state or ""
    if certificate.endswith("_timed_out") or certificate == "expired":
        found.append(f"Certificate state “{_clean(certificate)[:STATUS_LIMIT]}”: verify again.")
    if seen.host_state in STUCK_HOST_STATES:
        found.append(f"Host state “{seen.host_state}”.")
    return found


def initialize(workspace: Workspace, ref: str, host: str, *, watch: bool = False) -> Memory:
    """Set up a hostname (M17), and check its records automatically. Conflict if one exists, Rejected if not entitled."""
    wanted = {"host": plain(host), "watch": watch}
    with settle(workspace, "M17", target=f"hostname {host}", place=ref, wanted=wanted, touches=TOUCHES) as change:
        change.found = workspace.management.hostname.initialize(ref, custom_hostname=host)
        change.after = _trace(change.found)
    return after_setup(workspace, ref, wanted, change.found)


def reverify(workspace: Workspace, ref: str, *, host: str, status: str) -> Memory:
    """Ask the service to verify (M18). Raises `ValidationError` instead of an eleventh call within a minute."""
    before = {"status": status}
    with settle(workspace, "M18", target=f"hostname {host}", place=ref, before=before, wanted=before, touches=TOUCHES) as change:
        _require_quota(ref)
        change.found = workspace.management.hostname.reverify(ref)
        change.after = _trace(change.found)
    return remember(workspace, ref, change.found)


def activate(workspace: Workspace, ref: str, *, host: str, status: str) -> Memory:
    """Activate the hostname (M19), and check it daily from then on. Conflict while it is not verified."""
    before = {"status": status}
    with settle(workspace, "M19", target=f"hostname {host}", place=ref, before=before, wanted={}, touches=TOUCHES) as change:
        change.found = workspace.management.hostname.activate(ref)
        change.after = _trace(change.found)
    return after_activation(workspace, ref, {}, change.found)


def delete(workspace: Workspace, ref: str, *, host: str, status: str) -> None:
    """Delete the configuration (M16). The name is kept; automatic checks and share links to its records end."""
    before, wanted = {"status": status, "custom_hostname": host}, {"host": plain(host)}
    with settle(workspace, "M16", target=f"hostname {host}", place=ref, before=before, wanted=wanted, touches=TOUCHES):
        workspace.management.hostname.delete(ref)
    after_deletion(workspace, ref, wanted, None)


def after_deletion(workspace: Workspace, ref: str, wanted: Wanted, seen: HostnameConfiguration | None) -> None:
    """Clean up after a deletion that is known to have succeeded."""
    follow.page_lost(Share.Kind.HOSTNAME, ref, wanted["host"])
    stop_watch(workspace, ref)
    stop_daily(ref)
    remember(workspace, ref, seen)


def after_setup(workspace: Workspace, ref: str, wanted: Wanted, seen: HostnameConfiguration | None) -> Memory:
    """Start the automatic check after a setup that is known to have succeeded."""
    if wanted["watch"]:
        start_watch(workspace, ref)
    return remember(workspace, ref, seen)


def after_activation(workspace: Workspace, ref: str, _wanted: Wanted, seen: HostnameConfiguration | None) -> Memory:
    """Start the daily check after an activation that is known to have succeeded."""
    if is_active(seen, _wanted):
        start_daily(workspace, ref)
    return remember(workspace, ref, seen)


def remember_found(workspace: Workspace, ref: str, _wanted: Wanted, seen: HostnameConfiguration | None) -> None:
    remember(workspace, ref, seen)


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> HostnameConfiguration | None:
    return read(workspace, ref)


def is_set_up(seen: HostnameConfiguration | None, wanted: Wanted) -> bool:
    return seen is not None and plain(seen.custom_hostname) == wanted["host"]


def has_moved_on(seen: HostnameConfiguration | None, wanted: Wanted) -> bool:
    """Whether the status has changed since the verification was requested."""
    return seen is not None and seen.status.value != wanted["status"]


def is_active(seen: HostnameConfiguration | None, _wanted: Wanted) -> bool:
    return seen is not None and seen.status is HostnameStatus.SERVICES_RECONFIGURED


def is_deleted(seen: HostnameConfiguration | None, wanted: Wanted) -> bool:
    return not is_set_up(seen, wanted)


def _memory(known: Known) -> Memory:
    own = {"fingerprint": known.fingerprint, "ref": known.ref}
    states = Event.objects.filter(ref=known.ref, kind=EventKind.STATE, setup__in=("", known.setup))
    return Memory(
        known=known,
        check=find_check(known.ref, known.setup),
        steps={state.value: state.first_seen_at for state in states},
        records=tuple(SeenRecord.objects.filter(**own, setup=known.setup)) if known.setup else (),
    )


def setup_of(seen: HostnameConfiguration | None) -> str:
    """Return a digest that differs for each setup."""
    if seen is None:
        return ""
    result = seen.data.get("result")
    ident = result.get("id") if isinstance(result, dict) else None
    return sha256(f"{ident}:{plain(seen.custom_hostname)}".encode()).hexdigest()[:32]


def _facts(seen: HostnameConfiguration | None, before: Known | None) -> dict[str, object]:
    if seen is None:
        # Keep the name, as it is most likely to be set up again.
        hostname = before.hostname if before else ""
        return {
            "status": HostnameStatus.NOT_STARTED.value,
            "hostname": hostname,
            "certificate": "",
            "authority": "",
            "troubles": [],
        }
    return {
        "status": _clean(seen.status.value)[:STATUS_LIMIT],
        "hostname": _clean(seen.custom_hostname),
        "certificate": _clean(seen.certificate_state or "")[:STATUS_LIMIT],
        "authority": _authority(seen)[:STATUS_LIMIT],
        "troubles": troubles_of(seen),
    }


def _authority(seen: HostnameConfiguration) -> str:
    result = seen.data.get("result")
    ssl = result.get("ssl") if isinstance(result, dict) else None
    named = ssl.get("certificate_authority") if isinstance(ssl, dict) else None
    return _clean(named) if isinstance(named, str) else ""


def _keep_records(fingerprint: str, ref: str, setup: str, seen: HostnameConfiguration) -> None:
    """Store new records, and mark those that the service no longer requires."""
    own = {"fingerprint": fingerprint, "ref": ref, "setup": setup}
    now = timezone.now()
    asked = {record["key"]: record for record in _asked(seen)}
    known = SeenRecord.objects.filter(**own)
    before = dict(known.values_list("key", "asked"))
    if new := asked.keys() - before:
        # This token just read them, so it may know when another token first did.
        same = SeenRecord.objects.filter(ref=ref, setup=setup, key__in=new).order_by()
        since = dict(same.values_list("key").annotate(Min("first_seen_at")))
        rows = [
            SeenRecord(**own, **record, first_seen_at=since.get(key, now), last_asked_at=now)
            for key, record in asked.items()
            if key in new
        ]
        SeenRecord.objects.bulk_create(rows, ignore_conflicts=True)
    known.filter(key__in=asked).update(asked=True, last_asked_at=now)
    if any(was_asked and key not in asked for key, was_asked in before.items()):
        known.filter(asked=True).exclude(key__in=asked).update(asked=False)


def _asked(seen: HostnameConfiguration) -> list[dict[str, str]]:
    found = []
    if seen.custom_hostname and seen.origin_server:
        found.append((Purpose.CNAME, "CNAME", seen.custom_hostname, plain(seen.origin_server)))
    if ownership := seen.ownership_record:
        found.append((Purpose.OWNERSHIP, ownership.type, ownership.name, ownership.value))
    if (seen.certificate_state or "") in CHECKED_STATES or (seen.certificate_state or "").endswith("_timed_out"):
        found += [(Purpose.CERTIFICATE, record.type, record.name, record.value) for record in seen.certificate_records]
    return [
        {
            "purpose": purpose.value,
            "type": _clean(kind)[:16],
            "name": _clean(name),
            "value": _clean(value),
            "key": sha256(f"{kind}\n{name}\n{value}".encode()).hexdigest()[:32],
        }
        for purpose, kind, name, value in found
    ]


def _clean(text: str) -> str:
    """Replace NUL, which PostgreSQL can't store."""
    return text.replace("\0", "\ufffd")


def _require_quota(ref: str) -> None:
    """Raise `ValidationError` above the limit. Counts the calls in the journal, with this one, except those never sent."""
    lately = Entry.objects.filter(operation="M18", place=ref, started_at__gt=timezone.now() - timedelta(minutes=1))
    if lately.exclude(outcome=Outcome.REFUSED, status=None).count() > VERIFICATIONS_PER_MINUTE:
        raise ValidationError(TOO_OFTEN)


def _trace(seen: HostnameConfiguration) -> dict[str, str]:
    return {"status": seen.status.value, "custom_hostname": seen.custom_hostname}


RULES = (
    Rule("M16", read_back, is_deleted, then=after_deletion),
    Rule("M17", read_back, is_set_up, then=after_setup),
    Rule("M18", read_back, has_moved_on, then=remember_found),
    Rule("M19", read_back, is_active, then=after_activation),
)
