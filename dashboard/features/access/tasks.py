"""Notify people of access given, changed or revoked."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from dashboard.features.access.rules import in_words, key_of, place_in_words, receiver_of
from dashboard.notifications import outbox
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Grant

GRANT = "grant"
LOOKS_BACK = timedelta(days=1)
MOST_REMINDED = 200


def remind() -> None:
    """Notify giver and receivers once of each form that made, changed or revoked grants."""
    since = timezone.now() - LOOKS_BACK
    recent = Grant.objects.filter(Q(changed_at__gt=since) | Q(revoked_at__gt=since)).select_related("giver", "person")
    forms: dict[tuple[datetime, Any], list[Grant]] = defaultdict(list)
    cards: dict[Any, list[int]] = defaultdict(list)
    for grant in sorted(recent.order_by("-pk")[:MOST_REMINDED], key=lambda grant: grant.pk):
        forms[grant.revoked_at or grant.changed_at, key_of(grant)].append(grant)
        cards[key_of(grant)].append(grant.pk)
    # A form was told of by one of its grants, which may have changed again. Earlier builds wrote "revoked" instead of the time.
    keys = {
        (moment, card): [
            *(f"{pk} {moment:%Y-%m-%d %H:%M:%S.%f}" for pk in cards[card]),
            *(f"{grant.pk} revoked" for grant in grants),
        ]
        for (moment, card), grants in forms.items()
    }
    untold = set(outbox.untold(GRANT, chain.from_iterable(keys.values())))
    for form in sorted(forms, key=lambda form: form[0]):
        if untold.issuperset(keys[form]):
            _tell(forms[form], keys[form][0])


def _tell(grants: Sequence[Grant], key: str) -> None:
    first = grants[0]
    for people, title in (([first.giver], _to_giver(grants)), (_receivers(first), _to_receiver(grants))):
        outbox.notify(GRANT, people, title=title, address=reverse("people:index"), key=key, place=first.place)


def _receivers(grant: Grant) -> list[Person]:
    if grant.person:
        return [grant.person]
    roles = list(Role)[Role(grant.role).rank :]
    return list(Person.objects.filter(is_active=True, role__in=roles).exclude(pk=grant.giver_id))


def _to_giver(grants: Sequence[Grant]) -> str:
    receiver = receiver_of(grants[0])
    if all(grant.revoked_at for grant in grants):
        return f"Access through your token was revoked: {receiver}"
    return f"You {'gave' if _are_new(grants) else 'changed'} access: {receiver}, {_what(grants)}"


def _to_receiver(grants: Sequence[Grant]) -> str:
    giver = grants[0].giver
    if all(grant.revoked_at for grant in grants):
        return f"Your access through {giver}'s token was revoked"
    return f"{giver} {'gave you access' if _are_new(grants) else 'changed your access'}: {_what(grants)}"


def _are_new(grants: Sequence[Grant]) -> bool:
    return all(grant.changed_at == grant.made_at and not grant.revoked_at for grant in grants)


def _what(grants: Sequence[Grant]) -> str:
    return "; ".join(
        f"{'no longer ' if grant.revoked_at else ''}{in_words(grant.scope)} · {place_in_words(grant.scope)}"
        for grant in sorted(grants, key=lambda grant: grant.revoked_at is not None)
    )
