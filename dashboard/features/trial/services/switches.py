"""Switches of the embedded sandbox: its faults and its DNS records."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404

from dashboard.features.trial.rules import PUBLISHED
from dashboard.interfaces import Token
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.management.hostname import DnsRecord, HostnameConfiguration, HostnameStatus
from dashboard.journal.models import Outcome
from dashboard.team.models import Person
from dashboard.tokens import sandbox
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import try_all

FAULTS = "/_faults"
RECORDS = "/_dns"


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to misbehave. `state` completes "The sandbox …", `fault` is what the sandbox receives."""

    key: str
    title: str
    text: str
    state: str
    fault: dict[str, object] = field(repr=False)


MODES = (
    Mode("slow", "Slow", "Every answer takes 3 seconds.", "is answering slowly", {"delay": 3}),
    Mode("busy", "Too many requests", "Every call is refused with 429.", "refuses every call", {"status": 429, "retry_after": 5}),
    Mode("cut", "Cut off", "Calls are carried out, but their answers are lost.", "loses its answers", {"cut": "after"}),
    Mode("stuck", "Stuck", "Changes are accepted and stay pending.", "leaves changes pending", {"stay": True}),
)


@dataclass(frozen=True, slots=True)
class Host:
    """A project's custom hostname and the records it needs. `failure` says why it could not be read."""

    ref: str
    project: str
    name: str = ""
    records: Sequence[DnsRecord] = ()
    is_published: bool = False
    failure: str = ""


def faults(person: Person) -> list[dict[str, Any]]:
    """Return the faults that are switched on. Raises `SandboxError`, and errors of unsealing the token."""
    found: list[dict[str, Any]] = sandbox.ask(sandbox.personal_token(person), "GET", FAULTS)
    return found


def mode_of(found: Sequence[dict[str, Any]]) -> Mode | None:
    """Return the mode with these faults."""
    every = next((fault for fault in found if fault["operation"] == "*"), None)
    return next((mode for mode in MODES if every and all(every[name] == value for name, value in mode.fault.items())), None)


def switch(workspace: Workspace, key: str) -> str:
    """Switch one mode on, or everything off if the key is empty. Return a sentence about it."""
    mode = next((mode for mode in MODES if mode.key == key), None)
    if key and mode is None:
        raise Http404("There is no such switch.")
    with _recorded(workspace, "sandbox switched", target=mode.title if mode else "Reset") as token:
        sandbox.ask(token, "DELETE", FAULTS)
        if mode:
            sandbox.ask(token, "POST", FAULTS, {"operation": "*", **mode.fault})
    return f"The sandbox {mode.state}." if mode else "The sandbox works normally again."


def hosts(workspace: Workspace) -> list[Host]:
    """Return the projects with a custom hostname (M1, M15 for each), and whether its records are published."""
    projects = sorted(workspace.management.projects.all(), key=lambda project: (project.name.casefold(), project.id))
    get = workspace.management.hostname.get
    answers = try_all(*(lambda ref=project.id: get(ref) for project in projects))
    published = _published(workspace.person)
    found: list[Host] = []
    for project, answer in zip(projects, answers, strict=True):
        if answer.value is not None and (records := _needed(answer.value)):
            there = all((record.name.lower(), record.type, record.value) in published for record in records)
            found.append(Host(project.id, project.name, answer.value.custom_hostname, records, is_published=there))
        elif answer.error is not None and not isinstance(answer.error, NotFound):
            found.append(Host(project.id, project.name, failure=str(answer.error)))
    return found


def publish(workspace: Workspace, ref: str) -> str:
    """Publish the records that a project's hostname needs, replacing others with these names. Return the hostname."""
    found = workspace.management.hostname.get(ref)
    records = _needed(found)
    changes = [{"action": action, "name": name} for name in _names(records) for action in ("mend", "remove")]
    changes += [{"action": "publish", "name": one.name, "type": one.type, "value": one.value} for one in records]
    with _recorded(workspace, PUBLISHED, target=found.custom_hostname, place=ref) as token:
        sandbox.ask(token, "POST", RECORDS, changes)
    return found.custom_hostname


def remove(workspace: Workspace, ref: str) -> str:
    """Delete the records of a project's hostname. Return the hostname."""
    found = workspace.management.hostname.get(ref)
    changes = [{"action": "remove", "name": name} for name in _names(_needed(found))]
    with _recorded(workspace, "sandbox DNS removed", target=found.custom_hostname, place=ref) as token:
        sandbox.ask(token, "POST", RECORDS, changes)
    return found.custom_hostname


@contextmanager
def _recorded(workspace: Workspace, operation: str, *, target: str, place: str = "") -> Iterator[Token]:
    """Journal what the block does in the sandbox. Yields the token for it."""
    token = sandbox.personal_token(workspace.person)
    with workspace.record(operation, target=target, place=place) as change:
        try:
            yield token
        except sandbox.SandboxError as error:
            change.outcome, change.message = Outcome.REFUSED if error.is_refusal else Outcome.UNKNOWN, str(error)
            raise


def _published(person: Person) -> set[tuple[str, str, str]]:
    listed = sandbox.ask(sandbox.personal_token(person), "GET", RECORDS)
    return {(record["name"], record["type"], record["value"]) for record in listed if not record["broken"]}


def _needed(found: HostnameConfiguration) -> list[DnsRecord]:
    """Return the records that the configuration needs now; none if no hostname is set up.

    Older configurations want a TXT record at the name of the CNAME, which takes its place until it was verified.
    """
    if not found.custom_hostname or not found.origin_server:
        return []
    cname = DnsRecord("CNAME", found.custom_hostname, found.origin_server)
    texts = [*([found.ownership_record] if found.ownership_record else []), *found.certificate_records]
    others = [record for record in texts if record.name.lower() != cname.name.lower()]
    if found.status == HostnameStatus.INITIATED and others != texts:
        return texts
    return [cname, *others]


def _names(records: Sequence[DnsRecord]) -> list[str]:
    return list(dict.fromkeys(record.name for record in records))
