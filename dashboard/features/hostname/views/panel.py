"""What the page of one hostname shows, ready to print."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.features.hostname.models import Purpose, SeenRecord
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.rules.findings import Finding
from dashboard.features.hostname.rules.names import plain, relative, zones_of
from dashboard.features.hostname.services.checks import need_of
from dashboard.features.hostname.services.dns import Examination
from dashboard.features.hostname.services.hostname import Memory
from dashboard.interfaces.management.hostname import HostnameConfiguration

MOST_OTHERS = 60
LONGEST_VALUE = 300
TXT_PIECE = 255

# What the page shows in its own words; everything else that the service says is listed as it came.
TOLD = frozenset(
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
    """`step` is None in a state that is not known; `mark` changes whenever what is remembered changes."""

    hostname: str
    status: str
    word: str
    step: int | None
    rail: tuple[steps.Stop, ...]
    troubles: tuple[str, ...]
    host_state: str
    certificate: str
    target: str
    others: tuple[tuple[str, str], ...]
    read_at: datetime
    mark: str
    again_href: str

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
    """A record. `finding` is None until it was looked up, and for what the service has verified."""

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


@dataclass(frozen=True, slots=True)
class Records:
    """All records of a hostname. `zones` are the domains it may be managed in, `zone` the chosen one."""

    rows: tuple[Row, ...]
    zone: str
    zones: tuple[str, ...]
    file: str
    issuer: Finding | None
    resolvers: tuple[str, ...]
    looked_up: bool
    looks_right: bool

    @property
    def nobody_answered(self) -> bool:
        found = [row.finding for row in self.rows if row.finding]
        return bool(found) and all(finding.kind.value == "could not ask" for finding in found)


def panel_of(seen: HostnameConfiguration | None, memory: Memory) -> Panel:
    known = memory.known
    return Panel(
        hostname=known.hostname,
        status=known.status,
        word=steps.word_of(known.status),
        step=steps.step_of(known.status),
        rail=steps.rail_of(known.status, memory.steps),
        troubles=tuple(known.troubles),
        host_state=(seen.host_state or "") if seen else "",
        certificate=known.certificate,
        target=(seen.origin_server or "") if seen else "",
        others=tuple(_others(seen.data)) if seen else (),
        read_at=known.read_at,
        mark=mark_of(memory),
        again_href=f"{reverse('hostname:new', args=[known.ref])}?{urlencode({'hostname': known.hostname})}",
    )


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
        file=zone_file(memory.records),
        issuer=examination.issuer if examination else None,
        resolvers=examination.asked if examination else (),
        looked_up=examination is not None,
        looks_right=examination.looks_right if examination else False,
    )


def zone_file(records: tuple[SeenRecord, ...]) -> str:
    """The records as lines of a zone file, with absolute names. Those that can't stand beside another are commented out."""
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
    pieces = [value[start : start + TXT_PIECE] for start in range(0, len(value), TXT_PIECE)] or [""]
    return " ".join('"' + piece.replace("\\", "\\\\").replace('"', '\\"') + '"' for piece in pieces)


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
    """Members that the page has no words for, as path and value; empty ones are left out."""
    for number, (path, value) in enumerate(_flat(data)):
        if number == MOST_OTHERS:
            yield "…", "and more"
            return
        yield path, value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}…"


def _flat(value: Any, path: str = "", plain_path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and plain_path.count(".") < 8:
        for name, inner in value.items():
            yield from _flat(inner, f"{path}.{name}".lstrip("."), f"{plain_path}.{name}".lstrip("."))
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value):
            yield from _flat(inner, f"{path}[{number}]", plain_path)
    elif value not in ("", [], {}, None) and (plain_path not in TOLD or (plain_path in {"errors", "messages"})):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield path, text
