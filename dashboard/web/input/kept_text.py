"""Text that the browser keeps while it is typed, until its form is accepted or the person signs out.

`<kept-text>` keeps it under a key that differs by person and form, and that the form posts. Once the form is accepted, a cookie
names the key, and the browser deletes the text. So it survives a lost answer, an error, and a sign-in in between.
"""

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

from dashboard.web.http.cookies import cookie_name
from dashboard.web.input.typed_secrets import forget

FIELD = "kept"
COOKIE = "accepted"
# A cookie with this value names every key.
EVERYTHING = "all"
# The browser removes keys from the cookie when it next shows such a form.
KEYS_MAX = 20
_KEY = re.compile(r"[0-9a-f]{16}")


def key_of(request: HttpRequest, form: str) -> str:
    """Return the key of a person's text in a form. The address that it posts to identifies the form."""
    return salted_hmac("kept text", f"{request.user.pk} {form}", algorithm="sha256").hexdigest()[:16]


def accept(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let the browser delete the text of the posted form, and delete its kept secrets."""
    forget(request)
    key = request.POST.get(FIELD, "")
    if _KEY.fullmatch(key):
        known = request.COOKIES.get(cookie_name(COOKIE), "").split(".")
        _tell(response, ".".join([*(one for one in known if _KEY.fullmatch(one) and one != key), key][-KEYS_MAX:]))
    return response


def forget_all(response: HttpResponseBase) -> None:
    """Let the browser delete everything it keeps for any person: cached pages and typed text.

    Browsers obey the header under https and on localhost only; the cookie works elsewhere, too.
    """
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    _tell(response, EVERYTHING)


def _tell(response: HttpResponseBase, keys: str) -> None:
    response.set_cookie(cookie_name(COOKIE), keys, secure=settings.HTTPS, samesite="Lax")
