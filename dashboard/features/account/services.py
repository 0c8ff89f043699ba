"""A person's tokens and name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from dashboard.team.models import Person
from dashboard.tokens import spaces
from dashboard.tokens.credentials import all_of, store
from dashboard.tokens.formats import BadToken
from dashboard.tokens.grants import received
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted


@dataclass(frozen=True, slots=True)
class Row:
    """A stored token, of which it shows only the last four characters."""

    id: int
    kind: str
    title: str
    ref: str
    last4: str
    fingerprint: str
    reach: str
    reach_more: str
    tone: str
    state: str
    explanation: str
    can_open: bool
    added_at: datetime
    last_used_at: datetime | None
    refused_at: datetime | None


@dataclass(frozen=True, slots=True)
class Received:
    """A grant: to which project or space, from whom, for what, and why it doesn't work now."""

    place: str
    giver: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """A person's tokens by kind: None if this installation has no such interface."""

    management: list[Row] | None
    storage: list[Row] | None
    per_project: bool


def tokens_of(person: Person, *, has_management: bool) -> Tokens:
    """Return the person's tokens by kind, those that don't work first. Calls no service."""
    rows = sorted(map(_row, all_of(person)), key=lambda row: (row.tone == "good", row.title.casefold()))
    return Tokens(
        management=[row for row in rows if row.kind == Kind.MANAGEMENT] if has_management else None,
        storage=[row for row in rows if row.kind == Kind.STORAGE] if spaces.mode() != "none" else None,
        per_project=spaces.mode() == "per project",
    )


def received_by(person: Person, *, name: Callable[[str], str]) -> list[Received]:
    """Return the grants that the person received, working or not. Calls no service."""
    return [
        Received(name(one.grant.place) or one.grant.place, str(one.grant.giver), one.grant.get_kind_display(), one.reason)
        for one in received(person)
    ]


def open_spaces(workspace: Workspace) -> list[tuple[str, str]]:
    """Return spaces without a token, as choices (M1). Raises `TokenMissing` without a management token."""
    workspace.require(Kind.MANAGEMENT)
    return [(space.name, f"{space.title} ({space.name})") for space in workspace.spaces() if not space.has_token]


def store_keys(person: Person, pasted: Mapping[str, str]) -> dict[str, BadToken]:
    """Check and store storage keys by space, as one action. Return by space why others were not stored."""
    action = f"tokens-{uuid4().hex}"
    refused: dict[str, BadToken] = {}
    for space, key in pasted.items():
        try:
            store(person, Kind.STORAGE, space, key, action=action)
        except BadToken as problem:
            refused[space] = problem
    return refused


def reach_text(token: StoredToken) -> str:
    """Describe what the token had access to when it was last checked."""
    return ", ".join(part for part in _reach(token) if part)


def _reach(token: StoredToken) -> tuple[str, str]:
    """Return main and secondary text."""
    reach = token.reach
    if token.kind == Kind.MANAGEMENT:
        return _number(reach.get("projects"), "project"), f"in {_number(reach.get('organizations'), 'organization')}"
    more = [f"as {reach['role']}"] if reach.get("role") else []
    more += ["sent in the query"] if token.placement == "query" else []
    return _number(reach.get("buckets"), "bucket"), ", ".join(more)


def _row(token: StoredToken) -> Row:
    tone, state, explanation = _state(token)
    reach, more = _reach(token)
    return Row(
        id=token.pk,
        kind=token.kind,
        title=_title(token),
        ref=token.space if token.space != spaces.SHARED else "",
        last4=token.last4,
        fingerprint=token.fingerprint,
        reach=reach,
        reach_more=more,
        tone=tone,
        state=state,
        explanation=explanation,
        can_open=token.opens,
        added_at=token.added_at,
        last_used_at=token.last_used_at,
        refused_at=token.refused_at,
    )


def _title(token: StoredToken) -> str:
    if token.kind == Kind.MANAGEMENT:
        return "Personal token"
    return "Storage token" if token.space == spaces.SHARED else str(token.reach.get("project") or token.space)


def _state(token: StoredToken) -> tuple[str, str, str]:
    if token.is_locked:
        return "attention", "Locked", ""
    if not token.opens:
        return "danger", "Reconnect", "It can't be opened: its encryption key is gone. Replace it."
    if token.is_refused:
        return (
            "danger",
            "Refused",
            f"The service reported: “{token.refusal}”" if token.refusal else "The service no longer accepts it.",
        )
    ends = parse_datetime(str(token.reach.get("ends", "")))
    if ends and ends < timezone.now():
        return "danger", "Expired", f"It was valid until {ends:%Y-%m-%d %H:%M} UTC."
    if token.reach.get("role") == "anon":
        return (
            "attention",
            "Limited",
            "An anon token does only what row policies allow, often nothing. The service token does everything.",
        )
    return "good", "Active", ""


def _number(count: object, thing: str) -> str:
    if not isinstance(count, int):
        return f"{thing}s unknown"
    return counted(count, thing)
