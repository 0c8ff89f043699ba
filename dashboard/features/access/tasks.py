"""Notify people of access given, changed or revoked."""

from datetime import timedelta

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from dashboard.features.access.rules import in_words, place_in_words, receiver_of
from dashboard.notifications import outbox
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Grant

GRANT = "grant"
LOOKS_BACK = timedelta(days=1)
MOST_REMINDED = 200


def remind() -> None:
    """Notify giver and receivers once of each grant made, changed or revoked."""
    since = timezone.now() - LOOKS_BACK
    recent = Grant.objects.filter(Q(changed_at__gt=since) | Q(revoked_at__gt=since)).select_related("giver", "person")
    latest = sorted(recent.order_by("-pk")[:MOST_REMINDED], key=lambda grant: grant.revoked_at or grant.changed_at)
    found = {_key(grant): grant for grant in latest}
    for key in outbox.untold(GRANT, found):
        grant = found[key]
        for people, title in (([grant.giver], _to_giver(grant)), (_receivers(grant), _to_receiver(grant))):
            outbox.notify(GRANT, people, title=title, address=reverse("people:index"), key=key, place=grant.place)


def _key(grant: Grant) -> str:
    return f"{grant.pk} revoked" if grant.revoked_at else f"{grant.pk} {grant.changed_at:%Y-%m-%d %H:%M:%S.%f}"


def _receivers(grant: Grant) -> list[Person]:
    if grant.person:
        return [grant.person]
    roles = list(Role)[Role(grant.role).rank :]
    return list(Person.objects.filter(is_active=True, role__in=roles).exclude(pk=grant.giver_id))


def _to_giver(grant: Grant) -> str:
    if grant.revoked_at:
        return f"Access through your token was revoked: {receiver_of(grant)}"
    verb = "gave" if grant.changed_at == grant.made_at else "changed"
    return f"You {verb} access: {receiver_of(grant)}, {_what(grant)}"


def _to_receiver(grant: Grant) -> str:
    if grant.revoked_at:
        return f"Your access through {grant.giver}'s token was revoked"
    verb = "gave you access" if grant.changed_at == grant.made_at else "changed your access"
    return f"{grant.giver} {verb}: {_what(grant)}"


def _what(grant: Grant) -> str:
    return f"{in_words(grant.scope)} · {place_in_words(grant.scope)}"
