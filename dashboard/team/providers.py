"""The team's OpenID Connect provider (`OIDC_*`), and whose accounts are connected.

The provider proves who somebody is, not what they may do: owners add people and give roles.
"""

import hashlib
from dataclasses import dataclass
from urllib.parse import urlsplit

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from dashboard.journal.recorder import record
from dashboard.team import factors, mail
from dashboard.team.models import Person

OTHER = "This person is connected with another account there. Ask the person who runs this server for a reset."
LOCKED = "This account is locked and not connected. Sign in another way, and unlock it first."
ONLY_WAY = "Without it you couldn't sign in. Set a password or add a passkey first."


@dataclass(frozen=True, slots=True)
class Provider:
    """The provider as pages show it."""

    label: str
    origin: str


def provider() -> Provider | None:
    """Return the provider; None if none is set up."""
    if not settings.OIDC_ISSUER:
        return None
    parts = urlsplit(settings.OIDC_ISSUER)
    return Provider(settings.OIDC_LABEL, f"{parts.scheme}://{parts.netloc}")


def provider_id() -> str:
    """Return the name under which this issuer's accounts are stored, since `sub` is unique within one issuer only."""
    return f"oidc-{hashlib.sha256(settings.OIDC_ISSUER.encode()).hexdigest()[:24]}"


def accounts() -> QuerySet[SocialAccount]:
    """Return the connected accounts of the provider; none without a provider."""
    found: QuerySet[SocialAccount] = SocialAccount.objects.filter(provider=provider_id())
    return found if settings.OIDC_ISSUER else found.none()


def account_of(person: Person) -> SocialAccount | None:
    """Return the person's account at the provider, if one is connected."""
    return accounts().filter(user_id=person.pk).first()


def connect(person: Person, uid: str) -> SocialAccount:
    """Connect the provider's account with a person. Raises `ValidationError` if the person has another one, or is locked."""
    with record(person_id=person.pk, operation="provider connected", target=person.email) as change, transaction.atomic():
        # A connection would be a way to sign in that outlives the lock.
        if Person.objects.select_for_update().get(pk=person.pk).is_locked:
            raise ValidationError(LOCKED)
        if accounts().filter(user_id=person.pk).exists():
            raise ValidationError(OTHER)
        account = SocialAccount.objects.create(user_id=person.pk, provider=provider_id(), uid=uid)
        change.after = {"issuer": settings.OIDC_ISSUER}
    mail.tell(person, f"Your account was connected with {settings.OIDC_LABEL}. You can now sign in there.")
    return account


def disconnect(person: Person) -> None:
    """Disconnect the person's account. Raises `ValidationError` if the person couldn't sign in any more."""
    with record(person_id=person.pk, operation="provider disconnected", target=person.email), transaction.atomic():
        locked = Person.objects.select_for_update().get(pk=person.pk)
        if not locked.has_usable_password() and factors.PASSKEY not in factors.kinds_of(locked):
            raise ValidationError(ONLY_WAY)
        accounts().filter(user_id=person.pk).delete()
    mail.tell(person, f"Your account is no longer connected with {settings.OIDC_LABEL}.")
