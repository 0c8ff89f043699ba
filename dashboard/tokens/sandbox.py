"""Ask the embedded sandbox for the storage key of a project: `GET /_keys`, no operation of the interface, so not among those.

The address comes from the settings only, no redirect is followed, and the answer is read with a limit.
"""

import json
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from django.conf import settings

from dashboard.interfaces import Token
from dashboard.tokens.formats import BadToken

SECONDS = 5
MOST_BYTES = 1 << 20


def storage_key(personal: Token, ref: str) -> str:
    """The service key of one project. Raises `BadToken` with a sentence when there is none to be had."""
    place = urlsplit(settings.SANDBOX_URL)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=SECONDS)
    try:
        connection.request("GET", f"{place.path.rstrip('/')}/_keys", headers={"Authorization": f"Bearer {personal.reveal()}"})
        answer = connection.getresponse()
        body = answer.read(MOST_BYTES)
    except (OSError, HTTPException):
        raise BadToken("The sandbox does not answer. Try again in a moment.") from None
    finally:
        connection.close()
    if answer.status != 200:
        raise BadToken("The sandbox does not accept your management token, so it gives no keys.")
    try:
        return str(json.loads(body)["storage_tokens"][ref]["service"])
    except (ValueError, KeyError, TypeError):
        raise BadToken(f"The sandbox has no key for a project called {ref}.") from None
