"""Reading the configuration (M15), and keeping what was seen of it."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from dashboard.features.hostname.models import STATUS_LIMIT, Known, Purpose, SeenRecord, Step
from dashboard.features.hostname.rules.names import plain
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.interfaces.management.projects import Project
from dashboard.tokens.workspace import Workspace

# States of a certificate in which its TXT records are still looked for.
LOOKED_FOR = frozenset({"", "initializing", "pending_validation"})
# In these the host, or the certificate, does not go on by itself.
HOST_TROUBLE = frozenset({"moved", "blocked", "deleted", "pending_deletion", "pending_blocked"})


@dataclass(frozen=True, slots=True)
class Memory:
    """What this token knows: the last state, the first sight of each state, and every record ever asked for."""

    known: Known
    steps: dict[str, datetime]
    records: tuple[SeenRecord, ...]


def read(workspace: Workspace, ref: str) -> HostnameConfiguration | None:
    """The configuration (M15). None where nothing is set up, in either way in which services say so. Touches no database."""
    try:
        found = workspace.management.hostname.get(ref)
    except NotFound as nothing:
        # A project that is gone, or that the token does not reach, is something else.
        if "hostname" in nothing.text.lower():
            return None
        raise
    return None if found.status is HostnameStatus.NOT_STARTED else found


def project_of(workspace: Workspace, ref: str) -> tuple[str, str]:
    """What people call the project, and the host that a hostname will point to ; ref and empty where the token never read it."""
    projects = workspace.projects()
    name = next((project.name for project in projects if project.ref == ref), ref)
    # A project that comes up has no host yet; it will have one like those of the others.
    domains = {domain for project in projects if (domain := _domain(project))}
    return name, f"{ref}.{domains.pop()}" if len(domains) == 1 else ""


def _domain(project: Project) -> str:
    """What follows the ref in the hosts of a project; empty where its hosts are not told or have another form."""
    before, _, domain = project.database.host.partition(f"{project.ref}.") if project.database else ("", "", "")
    return domain if before == "db." else ""


def remember(workspace: Workspace, ref: str, seen: HostnameConfiguration | None) -> Memory:
    """Keep a state that was just read, and return all that is kept with it."""
    if workspace.is_replay and (memory := recall(workspace, ref)):
        return memory
    fingerprint = workspace.fingerprint("management")
    now = timezone.now()
    setup = _setup(seen)
    with transaction.atomic():
        before = Known.objects.filter(fingerprint=fingerprint, ref=ref).first()
        if before is not None and before.setup and not setup:
            # It was deleted: its being "not set up" begins anew.
            Step.objects.filter(fingerprint=fingerprint, ref=ref, setup="").delete()
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
            first = Step(fingerprint=fingerprint, ref=ref, setup=setup, status=known.status, first_seen_at=now)
            Step.objects.bulk_create([first], ignore_conflicts=True)
        if seen is not None:
            _keep_records(fingerprint, ref, setup, seen)
    return _memory(known)


def recall(workspace: Workspace, ref: str) -> Memory | None:
    """What is kept, without asking anybody; None where this token has seen nothing yet."""
    known = Known.objects.filter(fingerprint=workspace.fingerprint("management"), ref=ref).first()
    return _memory(known) if known else None


def troubles_of(seen: HostnameConfiguration) -> list[str]:
    """What stands in the way by the service's account, as sentences or in its words."""
    found = [_clean(problem)[:300] for problem in seen.problems[:8]]
    certificate = seen.certificate_state or ""
    if certificate.endswith("_timed_out") or certificate == "expired":
        found.append(f"The certificate is in the state “{_clean(certificate)[:STATUS_LIMIT]}”: ask the service to verify again.")
    if seen.host_state in HOST_TROUBLE:
        found.append(f"The host is in the state “{seen.host_state}”.")
    return found


def _memory(known: Known) -> Memory:
    own = {"fingerprint": known.fingerprint, "ref": known.ref}
    steps = Step.objects.filter(**own, setup__in=("", known.setup))
    return Memory(
        known=known,
        steps={step.status: step.first_seen_at for step in steps},
        records=tuple(SeenRecord.objects.filter(**own, setup=known.setup)) if known.setup else (),
    )


def _setup(seen: HostnameConfiguration | None) -> str:
    """Which setting-up this is: the service's own id where it gives one."""
    if seen is None:
        return ""
    result = seen.data.get("result")
    ident = result.get("id") if isinstance(result, dict) else None
    return sha256(f"{ident}:{plain(seen.custom_hostname)}".encode()).hexdigest()[:32]


def _facts(seen: HostnameConfiguration | None, before: Known | None) -> dict[str, object]:
    if seen is None:
        # The name stays: it is what a person will most likely set up again.
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
    """Add what is new; what the service asks for no more stays, marked."""
    own = {"fingerprint": fingerprint, "ref": ref, "setup": setup}
    now = timezone.now()
    asked = {record["key"]: record for record in _asked(seen)}
    known = SeenRecord.objects.filter(**own)
    before = dict(known.values_list("key", "asked"))
    if new := asked.keys() - before:
        rows = [SeenRecord(**own, **record, first_seen_at=now, last_asked_at=now) for key, record in asked.items() if key in new]
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
    if (seen.certificate_state or "") in LOOKED_FOR or (seen.certificate_state or "").endswith("_timed_out"):
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
    """PostgreSQL keeps no NUL."""
    return text.replace("\0", "\ufffd")
