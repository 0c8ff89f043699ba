"""Give, change, revoke and confirm access through one's own stored tokens; choose the credential for a place."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from dashboard.features.access.rules import in_words, is_within, key_of, place_in_words, receiver_of
from dashboard.features.access.services.places import own_workspace
from dashboard.journal.recorder import Change, record
from dashboard.labels.services import is_production
from dashboard.team.models import Person
from dashboard.tokens.credentials import own_token
from dashboard.tokens.grants import granted
from dashboard.tokens.models import ActiveGrant, Grant, Kind, StoredToken
from dashboard.tokens.scope import SECTIONS, Scope

NO_TOKEN = "Only somebody who stores a token there can give access. Store your own token first."  # noqa: S105 - a message
NAME_MAX_LENGTH = 200
PRODUCTION = "This project is production: give access to named people only."


# By kind: what a giver allows one receiver at one place, at most one grant of each.
Tree = Mapping[str, Grant]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is allowed through a token of one kind, and until when."""

    acts: tuple[str, ...]
    sections: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    ends_at: datetime | None = None
    note: str = ""

    def scope(self, kind: str, place: str) -> Scope:
        return Scope(kind, place, frozenset(self.acts), frozenset(self.sections), self.folders)

    @property
    def values(self) -> dict[str, Any]:
        """The fields of a grant with these terms."""
        lists = {"acts": list(self.acts), "sections": list(self.sections), "folders": list(self.folders)}
        return lists | {"ends_at": self.ends_at, "note": self.note}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One grant to make or change by setting `values`, and how its journal entry calls that. `is_told`: with its state after."""

    operation: str
    grant: Grant
    values: Mapping[str, Any]
    before: Any = None
    is_told: bool = True


def give(
    giver: Person, place: str, terms: Mapping[str, Terms], *, people: Collection[Person] = (), role: str = ""
) -> list[Grant]:
    """Give access, by kind, to each of these people, or to everybody with at least a role. Raises `ValidationError`."""
    receivers: list[Person | None] = [*people, *([None] if role else [])]
    now = timezone.now()
    made = [
        _new(giver, kind, place, one, person=person, role="" if person else role, now=now)
        for person in receivers
        for kind, one in terms.items()
    ]
    _apply(giver, [_Step(operation="access granted", grant=grant, values={}) for grant in made])
    return made


def change(giver: Person, tree: Tree, terms: Mapping[str, Terms]) -> bool:
    """Give, change and revoke until exactly these terms hold. Returns whether there was anything to do.

    After a change of scope, no data cached before is shown. Raises `ValidationError`.
    """
    any_of = next(iter(tree.values()))
    steps, now = [], timezone.now()
    for kind in (Kind.STORAGE.value, Kind.MANAGEMENT.value):
        grant, wanted = tree.get(kind), terms.get(kind)
        if grant and not wanted:
            steps.append(_revoking(grant, now))
        elif wanted and not grant:
            grant = _new(giver, kind, any_of.place, wanted, person=any_of.person, role=any_of.role, now=now)
            steps.append(_Step(operation="access granted", grant=grant, values={}))
        elif grant and wanted and (values := _changes(grant, wanted, now)):
            steps.append(_Step(operation="access changed", grant=grant, values=values, before=_facts(grant)))
    _apply(giver, steps)
    return bool(steps)


def is_wider(tree: Tree, terms: Mapping[str, Terms]) -> bool:
    """Whether terms allow anything that the grants don't allow now."""
    return any(kind not in tree or _is_wider(tree[kind], one) for kind, one in terms.items())


def tree_of(grant: Grant) -> dict[str, Grant]:
    """Return what the same giver gave the same receiver at the same place, by kind: what lasts, else what ended last."""
    alike = Grant.objects.filter(
        giver=grant.giver_id, person=grant.person_id, role=grant.role, place=grant.place, revoked_at=None
    ).select_related("giver", "person")
    found = list(alike.filter(lasting())) or list(alike)
    return {one.kind: one for one in sorted(found, key=lambda one: (one.kind == Kind.MANAGEMENT, one.pk))}


def given_at(giver: Person, place: str) -> list[Grant]:
    """Return one of the lasting grants for each receiver at a place, those for a role last."""
    found = Grant.objects.filter(lasting(), giver=giver, place=place).select_related("giver", "person")
    trees = {key_of(grant): grant for grant in found}
    return sorted(trees.values(), key=lambda grant: (bool(grant.role), receiver_of(grant).casefold()))


def revoke(by: Person, *grants: Grant) -> None:
    """End grants for good."""
    now = timezone.now()
    _apply(by, [_revoking(grant, now) for grant in grants])


def unconfirmed(giver: Person) -> list[Grant]:
    """Return grants that are paused until the giver confirms them for the token stored now, latest first."""
    tokens = {(token.kind, token.space): token.fingerprint for token in giver.stored_tokens.all()}
    given = Grant.objects.filter(lasting(), giver=giver).select_related("giver", "person")
    return [grant for grant in given if tokens.get((grant.kind, grant.space), grant.token) != grant.token]


def confirm(giver: Person, grants: Iterable[Grant]) -> None:
    """Let grants use the token that the giver stores now."""
    steps = []
    for grant in grants:
        token = own_token(giver, grant.kind, grant.place)
        if token is None:
            raise ValidationError(NO_TOKEN)
        values = {"token": token.fingerprint, "name": _name_for_others(token, grant.place)}
        steps.append(_Step(operation="access confirmed", grant=grant, values=values, is_told=False))
    _apply(giver, steps)


def choose(person: Person, kind: str, place: str, grant_id: int | None) -> None:
    """Use a grant at a place, or (None) the person's own token. Raises `ValidationError`."""
    if grant_id is not None:
        found = granted(person, grant_id)
        if found is None or found.reason or (found.kind, found.grant.place) != (kind, place):
            raise ValidationError(found.reason if found and found.reason else "You don't have this access.")
    ActiveGrant.objects.update_or_create(person=person, kind=kind, place=place, defaults={"grant_id": grant_id})


def _name_for_others(token: StoredToken, place: str) -> str:
    """Return a place's name for those who receive access: from last known data, else as of when the token was stored."""
    known = own_workspace(token.person).known_name(place)
    return str(known if known not in ("", place) else token.reach.get("project", ""))[:NAME_MAX_LENGTH]


def _new(giver: Person, kind: str, place: str, terms: Terms, *, person: Person | None, role: str, now: datetime) -> Grant:
    """Return a grant to be saved. Raises `ValidationError` for a second one of the kind: only one would work at a time.

    `now` is the same for all grants of one form: by it they are one act.
    """
    token = own_token(giver, kind, place)
    if token is None:
        raise ValidationError(NO_TOKEN)
    if role and is_production(place):
        raise ValidationError({"role": PRODUCTION})
    if Grant.objects.filter(lasting(), giver=giver, kind=kind, place=place, person=person, role=role).exists():
        who = "This role" if role else person
        second = f"{who} already has access here through your token. Change that access instead."
        raise ValidationError({"role" if role else "people": second})
    grant = Grant(giver=giver, kind=kind, place=place, person=person, role=role, space=token.space, token=token.fingerprint)
    grant.name, grant.made_at, grant.changed_at = _name_for_others(token, place), now, now
    _set(grant, terms.values)
    return grant


def _changes(grant: Grant, terms: Terms, now: datetime) -> dict[str, Any]:
    """Return the values to set so that a grant has these terms; none if it has."""
    is_new_scope = terms.scope(grant.kind, grant.place) != grant.scope
    is_news = is_new_scope or terms.ends_at != grant.ends_at
    if not is_news and terms.note == grant.note:
        return {}
    versions = {"version": grant.version + 1} if is_new_scope else {}
    return terms.values | versions | ({"changed_at": now} if is_news else {})


def _is_wider(grant: Grant, terms: Terms) -> bool:
    is_longer = grant.ends_at is not None and (terms.ends_at is None or terms.ends_at > grant.ends_at)
    return is_longer or not is_within(terms.scope(grant.kind, grant.place), grant.scope)


def _revoking(grant: Grant, now: datetime) -> _Step:
    values = {"revoked_at": now}
    return _Step(operation="access revoked", grant=grant, values=values, before=_facts(grant), is_told=False)


def _apply(by: Person, steps: Sequence[_Step]) -> None:
    """Do all of this in one transaction. The journal's entries are written before and outside of it."""
    action = f"grants-{uuid4().hex}" if len(steps) > 1 else ""
    with ExitStack() as entries:
        opened = [
            entries.enter_context(recorded(by, step.operation, step.grant, before=step.before, action=action)) for step in steps
        ]
        with transaction.atomic():
            for step, entry in zip(steps, opened, strict=True):
                _set(step.grant, step.values)
                step.grant.save(update_fields=[*step.values] or None)
                entry.after = _facts(step.grant) if step.is_told else None


def _set(grant: Grant, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(grant, name, value)


def lasting() -> Q:
    """Match grants that are neither revoked nor expired."""
    return Q(revoked_at=None) & (Q(ends_at=None) | Q(ends_at__gt=timezone.now()))


def recorded(by: Person, operation: str, grant: Grant, *, before: Any = None, action: str = "") -> AbstractContextManager[Change]:
    """Journal a change of a grant made in the block."""
    return record(
        person_id=by.pk,
        operation=operation,
        target=f"{in_words(grant.scope)} · {place_in_words(grant.scope)} · {receiver_of(grant)}",
        place=grant.place,
        before=before,
        token=grant.token,
        action=action,
    )


def _facts(grant: Grant) -> dict[str, Any]:
    facts = {
        "allowed": in_words(grant.scope),
        "sections": [label for key, label in SECTIONS.items() if key in grant.sections],
        "folders": grant.folders,
        "until": grant.ends_at,
        "note": grant.note,
    }
    return {name: value for name, value in facts.items() if value}
