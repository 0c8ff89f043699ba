"""What the token desk shows."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from dashboard.journal.recorder import record
from dashboard.team.models import Person
from dashboard.tokens import spaces
from dashboard.tokens.credentials import all_of
from dashboard.tokens.locks import locked_tokens
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted


@dataclass(frozen=True, slots=True)
class Row:
    """A stored token, ready to print; nothing of it but its last four characters."""

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
    opens: bool
    added_at: datetime
    last_used_at: datetime | None
    refused_at: datetime | None


@dataclass(frozen=True, slots=True)
class Desk:
    """The sections of the page: None where this installation has no such interface."""

    management: list[Row] | None
    storage: list[Row] | None
    per_project: bool


def desk(person: Person) -> Desk:
    """The person's tokens by kind. Asks nobody."""
    rows = [_row(token) for token in all_of(person)]
    return Desk(
        management=[row for row in rows if row.kind == Kind.MANAGEMENT] if settings.MANAGEMENT_URL else None,
        storage=[row for row in rows if row.kind == Kind.STORAGE] if spaces.mode() != "none" else None,
        per_project=spaces.mode() == "per project",
    )


def locked(person: Person) -> list[Row]:
    """Tokens that are locked until the person shows to be the one who stored them."""
    return [_row(token) for token in locked_tokens(person)]


def open_spaces(workspace: Workspace) -> list[tuple[str, str]]:
    """The spaces without a token yet, as choices. Raises `TokenMissing` without a management token, and what M1 raises."""
    workspace.require(Kind.MANAGEMENT)
    return [(space.name, f"{space.title} ({space.name})") for space in workspace.spaces() if not space.has_token]


def rename(person: Person, name: str) -> None:
    with record(person_id=person.pk, operation="name changed", target=person.email, before={"name": person.name}) as change:
        person.name = name
        person.save(update_fields=("name",))
        change.after = {"name": name}


def reach_text(token: StoredToken) -> str:
    """What the token reached when it was last checked, in words."""
    return ", ".join(part for part in _reach(token) if part)


def _reach(token: StoredToken) -> tuple[str, str]:
    """The main thing, and what else is to be said."""
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
        opens=token.opens,
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
        return "danger", "Reconnect", "It can't be opened any more: its key is gone, or the row was changed. Replace it."
    if token.is_refused:
        return (
            "danger",
            "Refused",
            f"The service said: “{token.refusal}”" if token.refusal else "The service does not accept it any more.",
        )
    ends = parse_datetime(str(token.reach.get("ends", "")))
    if ends and ends < timezone.now():
        return "danger", "Ended", f"It was valid until {ends:%Y-%m-%d %H:%M} UTC."
    if token.reach.get("role") == "anon":
        return (
            "attention",
            "Weak",
            "An anon key sees only what the service's row policies allow, often nothing. The service key sees all.",
        )
    return "good", "Works", ""


def _number(count: object, thing: str) -> str:
    if not isinstance(count, int):
        return f"{thing}s not shown"
    return counted(count, thing)
