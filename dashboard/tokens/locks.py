"""Tokens and grants protected by an account's lock, and deleted if the person starts over."""

from django.db.models import Q
from django.utils import timezone

from dashboard.team.models import Person
from dashboard.tokens import credentials
from dashboard.tokens.models import ActiveGrant, Grant


def holds(person: Person, maker: Person) -> bool:
    """Whether an account gave access, or received some from anybody but the maker of the link.

    This includes people who have not signed in yet: another owner's link would open their access.
    """
    return person.grants_given.exists() or Grant.objects.filter(person=person).exclude(giver=maker).exists()


def end(person: Person) -> None:
    """Delete a person's tokens, and revoke grants that they gave or got by name."""
    Grant.objects.filter(Q(giver=person) | Q(person=person), revoked_at=None).update(revoked_at=timezone.now())
    ActiveGrant.objects.filter(person=person).delete()
    credentials.forget_all(person)
