"""List the grants that a person may see, with their states."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.features.access.rules import buckets_of, in_words, place_in_words, receiver_of
from dashboard.links.models import RawLink
from dashboard.team.models import Person
from dashboard.tokens.grants import addressed_to, reason_of
from dashboard.tokens.models import Grant, Kind, StoredToken

State = Literal["active", "paused", "locked", "ended", "revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Filters of the list; empty members don't filter. `bucket` also matches access to its whole storage."""

    place: str = ""
    bucket: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A grant in the list. `reason` says why it doesn't work now. `is_waiting`: the viewer has to confirm it."""

    grant: Grant
    receiver: str
    acts: str
    where: str
    state: State
    reason: str
    is_given: bool
    is_received: bool
    is_waiting: bool
    can_change: bool
    can_revoke: bool

    @property
    def is_past(self) -> bool:
        return self.state in ("ended", "revoked")


def rows(viewer: Person) -> list[Row]:
    """Return the grants that a person gave or received (owners: all), latest first."""
    found = Grant.objects.select_related("giver", "person")
    if not viewer.is_owner:
        found = found.filter(Q(giver=viewer) | addressed_to(viewer))
    grants = list(found)
    tokens = StoredToken.objects.filter(person__in={grant.giver_id for grant in grants}).select_related("person")
    by_place = {(token.person_id, token.kind, token.space): token for token in tokens}
    mine = set(Grant.objects.filter(addressed_to(viewer)).exclude(giver=viewer).values_list("pk", flat=True))
    now = timezone.now()
    return [
        _row(viewer, grant, by_place.get((grant.giver_id, grant.kind, grant.space)), now, is_received=grant.pk in mine)
        for grant in grants
    ]


def signed_links(viewer: Person) -> QuerySet[RawLink]:
    """Return valid signed links made through grants that a person gave or used (owners: all)."""
    found = RawLink.objects.filter(grant__isnull=False, ends_at__gt=timezone.now()).select_related("person", "grant__giver")
    return found if viewer.is_owner else found.filter(Q(grant__giver=viewer) | Q(person=viewer))


def matching(found: Iterable[Row], asked: Filters) -> list[Row]:
    """Return the rows that match."""
    return [row for row in found if _matches(row, asked)]


def choices(found: Iterable[Row], names: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return the filter choices among rows: (value, label) by field. `names` are the places' names."""
    listed = list(found)
    places = {row.grant.place: names.get(row.grant.place) or row.grant.place for row in listed}
    buckets = {bucket: bucket for row in listed for bucket in buckets_of(row.grant.scope)}
    return {
        name: sorted(pairs.items(), key=lambda pair: pair[1].casefold())
        for name, pairs in (("place", places), ("bucket", buckets))
    }


def _matches(row: Row, asked: Filters) -> bool:
    grant = row.grant
    is_bucket = not asked.bucket or (grant.kind == Kind.STORAGE and grant.scope.shows_bucket(asked.bucket))
    return is_bucket and asked.place in ("", grant.place)


def _row(viewer: Person, grant: Grant, token: StoredToken | None, now: datetime, *, is_received: bool) -> Row:
    receiver = grant.person or (viewer if is_received else Person(role=grant.role))
    reason = reason_of(grant, token, receiver, now)
    state = _state(grant, receiver, reason, now)
    is_given = grant.giver_id == viewer.pk
    is_waiting = state == "paused" and is_given and token is not None and token.fingerprint != grant.token
    return Row(
        grant=grant,
        receiver=receiver_of(grant),
        acts=in_words(grant.scope),
        where=place_in_words(grant.scope),
        state=state,
        reason=reason if is_received else _explained(grant, token, state, reason, is_given=is_given),
        is_given=is_given,
        is_received=is_received,
        is_waiting=is_waiting,
        can_change=state != "revoked" and is_given,
        can_revoke=state != "revoked" and (is_given or viewer.is_owner),
    )


def _state(grant: Grant, receiver: Person, reason: str, now: datetime) -> State:
    if grant.revoked_at:
        return "revoked"
    if (grant.ends_at and grant.ends_at <= now) or not grant.giver.is_active:
        return "ended"
    if not reason:
        return "active" if receiver.is_active else "paused"
    return "locked" if receiver.is_locked or grant.giver.is_locked else "paused"


def _explained(grant: Grant, token: StoredToken | None, state: State, reason: str, *, is_given: bool) -> str:
    """Explain why a grant doesn't work, for anybody but its receiver."""
    giver, receiver = grant.giver, grant.person
    reasons = (
        (state in ("active", "revoked") or (state == "ended" and giver.is_active), ""),
        (receiver and not receiver.is_active, f"{receiver} can no longer sign in."),
        (receiver and receiver.is_locked, f"{receiver}'s account is locked until {receiver} unlocks it."),
        (not is_given, reason),
        (token is None, "You no longer store the token that it uses."),
        (token and token.fingerprint != grant.token, "You stored another token. Confirm that it may be used."),
        (True, reason),
    )
    return next(sentence for applies, sentence in reasons if applies)
