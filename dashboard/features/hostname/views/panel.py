"""Prepare what the page of one hostname shows."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from dashboard.features.hostname.models import Check, Event, EventKind, Purpose, SeenRecord, Verdict
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.rules.findings import Finding, Kind
from dashboard.features.hostname.rules.names import plain, relative, zones_of
from dashboard.features.hostname.services.dns import Examination, need_of
from dashboard.features.hostname.services.hostname import Memory
from dashboard.interfaces.management.hostname import HostnameConfiguration

OTHERS_MAX = 60
VALUE_MAX = 300
TXT_STRING_MAX = 255
EXPIRES_SOON = timedelta(days=14)

# Members that the page shows in its own words; all others are listed as they are.
SHOWN = frozenset(
    {
        "success",
        "errors",
        "messages",
        "result.hostname",
        "result.status",
        "result.custom_origin_server",
        "result.ownership_verification.type",
        "result.ownership_verification.name",
        "result.ownership_verification.value",
        "result.verification_errors",
        "result.ssl.status",
        "result.ssl.txt_name",
        "result.ssl.txt_value",
        "result.ssl.validation_records.txt_name",
        "result.ssl.validation_records.txt_value",
        "result.ssl.validation_errors.message",
    }
)


@dataclass(frozen=True, slots=True)
class Panel:
    """`step` is None with an unknown status; `mark` changes whenever the stored state does."""

    hostname: str
    status: str
    standing: steps.Standing
    step: int | None
    stages: tuple[steps.Step, ...]
    troubles: tuple[str, ...]
    host_state: str
    certificate: str
    others: tuple[tuple[str, str], ...]
    read_at: datetime
    mark: str

    @property
    def is_set_up(self) -> bool:
        return self.step != 1

    @property
    def is_pending(self) -> bool:
        return self.step in (2, 3)

    @property
    def is_active(self) -> bool:
        return self.step == 5


@dataclass(frozen=True, slots=True)
class Row:
    """A record. `finding` is None until it is looked up, and for verified ones."""

    purpose: str
    type: str
    name: str
    relative: str
    value: str
    asked: bool
    keep: bool
    first_seen_at: datetime
    last_asked_at: datetime
    finding: Finding | None

    @property
    def is_needed(self) -> bool:
        return self.asked or self.keep

    @property
    def is_right(self) -> bool:
        return self.finding is not None and self.finding.is_right

    @property
    def is_wrong(self) -> bool:
        return self.finding is not None and self.finding.kind.is_broken

    @property
    def is_explained(self) -> bool:
        """Whether the diagnosis says more than that the record is missing."""
        return (
            self.finding is not None and not self.is_right and (bool(self.finding.seen) or self.finding.kind is not Kind.MISSING)
        )


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a hostname. `zones` are those that it may be managed in, `zone` is the chosen one.

    `is_active`: nothing is left to do but to keep the record that the hostname needs.
    """

    rows: tuple[Row, ...]
    zone: str
    zones: tuple[str, ...]
    text: str
    issuer: Finding | None
    resolvers: tuple[str, ...]
    looked_up: bool
    looks_right: bool
    is_active: bool

    @property
    def is_unknown(self) -> bool:
        found = [row.finding for row in self.rows if row.finding]
        return bool(found) and all(finding.kind is Kind.UNKNOWN for finding in found)

    @property
    def needed(self) -> tuple[Row, ...]:
        """The records that have to be there now, those to add or fix first."""
        return tuple(sorted((row for row in self.rows if row.is_needed), key=lambda row: (not row.is_wrong, row.is_right)))

    @property
    def wrong(self) -> tuple[Row, ...]:
        """The records that a person has to add or change."""
        return tuple(row for row in self.rows if row.is_wrong)

    @property
    def is_issuer_forbidden(self) -> bool:
        return self.issuer is not None and self.issuer.kind.is_broken

    @property
    def correct(self) -> int:
        return sum(row.is_right for row in self.needed)

    @property
    def open(self) -> tuple[Row, ...]:
        """The records that something is left to do about, and the one that an active hostname needs."""
        return tuple(row for row in self.needed if self.is_active or not row.is_right)

    @property
    def finished(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row not in self.open)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the hostname served at `checked_at`. Without a certificate the last members are empty."""

    word: str
    tone: str
    problem: str
    checked_at: datetime
    issuer: str
    names: tuple[str, ...]
    expires_at: datetime | None
    days_left: int


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What was first seen at a time. `hostname` is empty for the present one, `raw` is the service's word."""

    at: datetime
    kind: str
    words: str
    raw: str
    hostname: str


def panel_of(seen: HostnameConfiguration | None, memory: Memory) -> Panel:
    known, began = memory.known, memory.steps.get(memory.known.status)
    return Panel(
        hostname=known.hostname,
        status=known.status,
        standing=steps.standing_of(known.status, memory.check, began, is_blocked=bool(known.troubles)),
        step=steps.step_of(known.status),
        stages=steps.list_steps(known.status, memory.steps),
        troubles=tuple(known.troubles),
        host_state=(seen.host_state or "") if seen else "",
        certificate=known.certificate,
        others=tuple(_others(seen.data)) if seen else (),
        read_at=known.read_at,
        mark=mark_of(memory),
    )


def certificate_of(check: Check) -> Certificate | None:
    """Return what the last check saw; None if there was none."""
    if check.certificate_at is None:
        return None
    left = check.expires_at - timezone.now() if check.expires_at else timedelta()
    word, tone = {
        Verdict.VERIFIED: ("Verified", "good"),
        Verdict.INVALID: ("Invalid", "danger"),
    }.get(Verdict(check.verdict), ("Not checked", "neutral"))
    if check.verdict == Verdict.VERIFIED and left < EXPIRES_SOON:
        word, tone = ("Expires soon", "attention") if left > timedelta() else ("Expired", "danger")
    return Certificate(
        word=word,
        tone=tone,
        problem=check.problem,
        checked_at=check.certificate_at,
        issuer=check.issuer,
        names=tuple(check.names),
        expires_at=check.expires_at,
        days_left=max(left.days, 0),
    )


def history_of(events: Iterable[Event], hostname: str) -> tuple[HistoryRow, ...]:
    return tuple(
        HistoryRow(
            at=event.first_seen_at,
            kind=event.get_kind_display(),
            words=_event_words(event),
            raw=event.value if event.kind == EventKind.STATE and event.setup else "",
            hostname=event.hostname if event.hostname != hostname else "",
        )
        for event in events
    )


def _event_words(event: Event) -> str:
    if event.kind == EventKind.STATE:
        return steps.word_of(event.value)
    return event.value or "All records correct"


def mark_of(memory: Memory) -> str:
    asked = sum(record.asked for record in memory.records)
    return f"{memory.known.status}-{memory.known.certificate}-{asked}-{len(memory.known.troubles)}"


def records_of(memory: Memory, examination: Examination | None, *, zone: str = "") -> Records:
    host = plain(memory.known.hostname)
    zones = tuple(zones_of(host))
    zone = zone if zone in zones else zones[0] if zones else ""
    rows = tuple(_row(record, host, zone, memory.known.hostname, examination) for record in memory.records)
    return Records(
        rows=rows,
        zone=zone,
        zones=zones,
        text=text_of(memory.records),
        issuer=examination.issuer if examination else None,
        resolvers=examination.resolvers if examination else (),
        looked_up=examination is not None,
        looks_right=examination.looks_right if examination else False,
        is_active=steps.is_active(memory.known.status),
    )


def text_of(records: tuple[SeenRecord, ...]) -> str:
    """Write the records that are needed as lines of a zone file, which DNS consoles import.

    A CNAME that must wait is a comment.
    """
    wanted = [record for record in records if record.asked or record.purpose == Purpose.CNAME]
    texts = {plain(record.name) for record in wanted if record.type != "CNAME"}
    lines = []
    for record in wanted:
        if record.type == "CNAME":
            line = f"{plain(record.name)}. 300 IN CNAME {plain(record.value)}."
            lines.append(f"; once the TXT record of this name is verified: {line}" if plain(record.name) in texts else line)
        else:
            lines.append(f"{plain(record.name)}. 300 IN {record.type} {_quoted(record.value)}")
    return "\n".join(lines)


def _quoted(value: str) -> str:
    strings = [value[start : start + TXT_STRING_MAX] for start in range(0, len(value), TXT_STRING_MAX)] or [""]
    return " ".join('"' + string.replace("\\", "\\\\").replace('"', '\\"') + '"' for string in strings)


def _row(record: SeenRecord, host: str, zone: str, hostname: str, examination: Examination | None) -> Row:
    finding = examination.findings.get(need_of(record, hostname)) if examination else None
    name = plain(record.name)
    return Row(
        purpose=record.get_purpose_display(),
        type=record.type,
        name=name,
        relative=relative(name, zone) if host else name,
        value=record.value,
        asked=record.asked,
        keep=record.purpose == Purpose.CNAME,
        first_seen_at=record.first_seen_at,
        last_asked_at=record.last_asked_at,
        finding=finding,
    )


def _others(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """List other members by path and value, without empty ones."""
    for number, (path, value) in enumerate(_flat(data)):
        if number == OTHERS_MAX:
            yield "…", "and more"
            return
        yield path, value if len(value) <= VALUE_MAX else f"{value[:VALUE_MAX]}…"


def _flat(value: Any, path: str = "", plain_path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and plain_path.count(".") < 8:
        for name, inner in value.items():
            yield from _flat(inner, f"{path}.{name}".lstrip("."), f"{plain_path}.{name}".lstrip("."))
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value):
            yield from _flat(inner, f"{path}[{number}]", plain_path)
    elif value not in ("", [], {}, None) and (plain_path not in SHOWN or (plain_path in {"errors", "messages"})):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield path, text
