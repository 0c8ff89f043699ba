"""A right password is remembered for half an hour, by a signed cookie for this one link."""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from dashboard.links.codes import digest
from dashboard.links.models import Share
from dashboard.web.cookies import cookie_name

SECONDS = 30 * 60
SALT = "dashboard.sharing.password"


def is_locked(request: HttpRequest, share: Share) -> bool:
    """Whether the link has a password that this browser did not give within the last half hour."""
    if not share.password:
        return False
    try:
        value = signing.TimestampSigner(salt=SALT).unsign(request.COOKIES.get(_name(share), ""), max_age=SECONDS)
    except signing.BadSignature:
        return True
    return value != _value(share)


def unlock(response: HttpResponse, share: Share) -> None:
    """Set the cookie of this link, beside those of others."""
    value = signing.TimestampSigner(salt=SALT).sign(_value(share))
    response.set_cookie(_name(share), value, max_age=SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax")


def _name(share: Share) -> str:
    return cookie_name(f"share_{digest(str(share.pk), purpose='cookie')[:16]}")


def _value(share: Share) -> str:
    """Another password makes it worthless; it tells nothing of the link, not even which number it has."""
    return digest(f"{share.pk} {share.password}", purpose="password")[:32]
