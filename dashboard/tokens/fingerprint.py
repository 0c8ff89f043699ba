"""How a token is told from another without being known."""

import hmac
from hashlib import sha256

from django.conf import settings


def fingerprint(text: str) -> str:
    """Eight hex digits, keyed with SECRET_KEY: equal for equal tokens of this installation, useless elsewhere."""
    return hmac.new(settings.SECRET_KEY.encode(), b"token fingerprint:" + text.encode(), sha256).hexdigest()[:8]
