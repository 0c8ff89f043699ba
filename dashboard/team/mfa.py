"""Adapt allauth's second factors: sealed secrets, our name, and the host name for passkeys."""

from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.http.request import split_domain_port

from dashboard.vault.seals import Sealed

# allauth's hooks don't name the person. An attacker who could swap these rows could also delete them.
OWNER = 0
PURPOSE = "second factor"
ISSUER = "Pilothouse"


class Adapter(DefaultMFAAdapter):  # type: ignore[misc] # allauth carries no types
    def encrypt(self, text: str) -> str:
        return Sealed.seal(text, owner=OWNER, purpose=PURPOSE).stored()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. Raises `CannotOpen`."""
        return Sealed(encrypted_text).open(owner=OWNER, purpose=PURPOSE)

    def get_totp_issuer(self) -> str:
        return ISSUER

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the host name that passkeys belong to: PUBLIC_URL's, else this request's. Browsers refuse IP addresses."""
        return {"id": settings.PUBLIC_HOST or split_domain_port(context.request.get_host())[0], "name": ISSUER}
