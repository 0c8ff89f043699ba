"""What a lock protects of tokens and access, and what starting over ends of them."""

from django.db.models import Q
from django.utils import timezone

from dashboard.team.models import Person
from dashboard.tokens import credentials
from dashboard.tokens.models import ActiveGrant, Grant


def holds(person: Person, maker: Person) -> bool:
    """Return whether an account gave access, or received some that is not the maker's own to give.

    Who has yet to sign in holds it as well: another owner's link would open it.
    """
    return person.grants_given.exists() or Grant.objects.filter(person=person).exclude(giver=maker).exists()


def end(person: Person) -> None:
    """Delete a person's tokens, and end the access that they gave or were given by name."""
    Grant.objects.filter(Q(giver=person) | Q(person=person), revoked_at=None).update(revoked_at=timezone.now())
    ActiveGrant.objects.filter(person=person).delete()
    credentials.forget_all(person)
