"""Grants that a person received, and whether each works now."""

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import get_ident

from django.db.models import Q
from django.utils import timezone

from dashboard.labels.services import is_production
from dashboard.team.models import Person, Role
from dashboard.tokens.errors import GrantUnusable
from dashboard.tokens.models import ActiveGrant, Grant, StoredToken
from dashboard.tokens.scope import Scope
from dashboard.vault.lookup import digest, load_key
from dashboard.web.process.database import give_back, read_rows

WRITE_EVERY = timedelta(minutes=1)
RECHECK_SECONDS = 1.0
NO_LONGER = "You no longer have this access."


@dataclass(slots=True)
class Granted:
    """A received grant, as a credential.

    `token` is the giver's, None if it is no longer stored. `reason` says why the grant can't be used; empty if it can.
    """

    grant: Grant
    token: StoredToken | None
    reason: str
    person: Person
    # Only this thread may use the database; others use its results.
    _thread: int = field(default_factory=get_ident)
    _checked: float = field(default_factory=time.monotonic)

    @property
    def kind(self) -> str:
        return self.grant.kind

    @property
    def space(self) -> str:
        return self.grant.space

    @property
    def scope(self) -> Scope:
        return self.grant.scope

    @property
    def placement(self) -> str:
        return self.token.placement if self.token else ""

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.grant)

    @property
    def opens(self) -> bool:
        return not self.reason and self.token is not None and self.token.opens

    def open(self) -> str:
        """Return the giver's token. Raises `GrantUnusable`."""
        self.require()
        if self.token is None:
            raise GrantUnusable(self.reason, kind=self.kind, space=self.grant.place)
        return self.token.open()

    def require(self) -> None:
        """Raise `GrantUnusable` once the grant no longer works. Reads the grant and its scope again each second."""
        if get_ident() == self._thread and time.monotonic() - self._checked >= RECHECK_SECONDS:
            self._checked = time.monotonic()
            found = _granted(self.person, "id = %s", (self.grant.pk,))
            give_back()
            self.reason = found[0].reason if found else NO_LONGER
            if found:
                self.grant = found[0].grant
        if self.reason:
            raise GrantUnusable(self.reason, kind=self.kind, space=self.grant.place)


def received(person: Person) -> list[Granted]:
    """Return the grants that a person can use now or might again, latest first, without revoked ones."""
    where, values = _addressed(person)
    return _granted(person, f"{where} AND revoked_at IS NULL", values)


def granted(person: Person, grant_id: int) -> Granted | None:
    """Return one grant of this person, usable or not; None if it isn't theirs."""
    where, values = _addressed(person)
    return next(iter(_granted(person, f"{where} AND id = %s", (*values, grant_id))), None)


def revoked(person: Person) -> list[Granted]:
    """Return the person's revoked grants, latest first."""
    where, values = _addressed(person)
    return _granted(person, f"{where} AND revoked_at IS NOT NULL", values)


def named(person: Person, grants: Collection[int]) -> dict[tuple[str, str], Granted]:
    """Return grants by kind and place, usable or not."""
    found = _granted(person, f"id IN ({_marks(grants)})", tuple(grants)) if grants else []
    return {(one.kind, one.grant.place): one for one in found}


def chosen(person: Person, own: Collection[tuple[str, str]], usable: Collection[Granted]) -> dict[tuple[str, str], Granted]:
    """Return the grants that a person uses, by kind and place. `own` are the keys of their tokens.

    At each place it is the grant that the person chose, else the latest usable one if no token is stored.
    """
    if not usable:
        return {}
    wanted = {(row.kind, row.place): row.grant_id for row in read_rows(ActiveGrant, "WHERE person_id = %s", (person.pk,))}
    acting: dict[tuple[str, str], Granted] = {}
    for one in usable:
        at = (one.kind, one.grant.place)
        has_token = (one.kind, one.grant.space) in own
        if wanted.get(at) == one.grant.pk or (at not in acting and not has_token):
            acting[at] = one
    return acting


def grants_like(giver_id: int | None, place: str, fingerprint: str) -> list[int]:
    """Return the id of the giver's grant with this fingerprint, in a list; empty if its scope has changed since."""
    known = Grant.objects.filter(giver_id=giver_id, place=place) if giver_id else ()
    return [grant.pk for grant in known if fingerprint_of(grant) == fingerprint]


def mark_used(grants: Collection[Grant]) -> None:
    """Record when grants were last used, at most once a minute."""
    now = timezone.now()
    due = [grant.pk for grant in grants if grant.last_used_at is None or grant.last_used_at < now - WRITE_EVERY]
    if due:
        Grant.objects.filter(pk__in=due).update(last_used_at=now)


def reason_of(grant: Grant, token: StoredToken | None, person: Person, now: datetime) -> str:
    """Explain why a person can't use a grant and who can help; empty if they can. `token` is the giver's, if stored."""
    giver = grant.giver
    reasons = (
        (not is_for(grant, person), NO_LONGER),
        (grant.revoked_at, f"{giver} revoked this access."),
        (
            grant.ends_at and grant.ends_at <= now,
            f"This access ended on {grant.ends_at:%Y-%m-%d}. {giver} can extend it." if grant.ends_at else "",
        ),
        (not giver.is_active, f"{giver}, who gave this access, can no longer sign in. An owner of the team can help."),
        (token is None, f"{giver} no longer stores the token that this access uses, and has to store one again."),
        (giver.is_locked, f"{giver}'s account is locked until {giver} unlocks it."),
        (token and token.fingerprint != grant.token, f"{giver} stored another token and has to confirm this access."),
        (person.is_locked, "Your account is locked, because somebody else's link set your password."),
        (grant.role and is_production(grant.place), "This project is production: only access for a named person works here."),
    )
    return next((sentence for applies, sentence in reasons if applies), "")


def fingerprint_of(grant: Grant) -> str:
    """Return a fingerprint that differs after each change of scope or token, so that earlier cached data is not shown."""
    return digest("grant", f"{grant.pk}:{grant.version}:{grant.token}")[: len(grant.token)]


def addressed_to(person: Person) -> Q:
    """Match the grants to the person or to their role."""
    return Q(person=person) | Q(role__in=_roles_of(person))


def is_for(grant: Grant, person: Person) -> bool:
    """Whether a grant is for the person or for their role, as `addressed_to` matches it."""
    return grant.person_id == person.pk or grant.role in _roles_of(person)


def _roles_of(person: Person) -> list[str]:
    """Return the person's role and all lesser ones."""
    roles = list(Role.values)
    return roles[: roles.index(person.role) + 1]


def _addressed(person: Person) -> tuple[str, tuple[str | int, ...]]:
    """Return `addressed_to` as SQL."""
    roles = _roles_of(person)
    return f"(person_id = %s OR role IN ({_marks(roles)}))", (person.pk, *roles)


def _marks(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))


def _granted(person: Person, where: str, values: tuple[str | int, ...]) -> list[Granted]:
    """Return these grants, latest first. Raw SQL, because every request asks."""
    found = read_rows(Grant, f"WHERE giver_id <> %s AND {where} ORDER BY id DESC", (person.pk, *values))
    if not found:
        return []
    load_key()
    givers = tuple({grant.giver_id for grant in found})
    people = {giver.pk: giver for giver in read_rows(Person, f"WHERE id IN ({_marks(givers)})", givers)}
    tokens: dict[tuple[int, str, str], StoredToken] = {}
    spaces = tuple({grant.space for grant in found})
    held = f"WHERE person_id IN ({_marks(givers)}) AND space IN ({_marks(spaces)})"
    for token in read_rows(StoredToken, held, (*givers, *spaces)):
        token.person = people[token.person_id]
        tokens[token.person_id, token.kind, token.space] = token
    for grant in found:
        grant.giver = people[grant.giver_id]
    now = timezone.now()
    pairs = ((grant, tokens.get((grant.giver_id, grant.kind, grant.space))) for grant in found)
    return [Granted(grant, token, reason_of(grant, token, person, now), person) for grant, token in pairs]
