"""A right password is remembered for half an hour, by a signed cookie for this one link."""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from dashboard.links.codes import digest
from dashboard.links.models import Share

SECONDS = 30 * 60
SALT = "dashboard.sharing.password"


def is_locked(request: HttpRequest, share: Share) -> bool:
    """Whether the link has a password that this browser did not give within the last half hour."""
    if not share.password:
        return False
    try:
        value = signing.TimestampSigner(salt=SALT).unsign(request.COOKIES.get(_name(), ""), max_age=SECONDS)
    except signing.BadSignature:
        return True
    return value != _value(share)


def unlock(response: HttpResponse, share: Share, path: str) -> None:
    """Set the cookie; the browser sends it to this link's addresses only."""
    value = signing.TimestampSigner(salt=SALT).sign(_value(share))
    response.set_cookie(_name(), value, max_age=SECONDS, path=path, secure=settings.HTTPS, httponly=True, samesite="Lax")


def _name() -> str:
    return "__Secure-share" if settings.HTTPS else "pilothouse_share"


def _value(share: Share) -> str:
    """Another password makes it worthless; it tells nothing of the link, not even which number it has."""
    return digest(f"{share.pk} {share.password}", purpose="password")[:32]
