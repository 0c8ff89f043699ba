"""Parse the addresses in NOTIFY_URLS. Standard library only, as `start` and the settings use it."""

import re
from urllib.parse import parse_qs, urlsplit

# Apprise has more, but some of those show messages on this machine instead of sending them.
_SERVICES = """
discord feishu flock form forms gchat gotify gotifys json jsons lark matrix matrixs mmost mmosts nctalk nctalks ntfy ntfys
opsgenie pagerduty pover rocket rockets ryver signal signals slack squadcast tgram twist victorops webex
workflow workflows xml xmls zulip
"""
SCHEMES = frozenset(_SERVICES.split())
# Services whose address has a host; for others a token may be in its place.
_HOSTED = "form forms gotify gotifys json jsons mmost mmosts nctalk nctalks rocket rockets xml xmls"
WITH_HOST = frozenset(_HOSTED.split())
_BETWEEN = re.compile(r"[\s,]+(?=\w+://)")


def split(text: str) -> list[str]:
    """Return the addresses of a list separated by commas or spaces."""
    return [address for part in _BETWEEN.split(text) if (address := part.strip(", \t\r\n"))]


def problem(text: str) -> str | None:
    """Return what is wrong with a list of addresses. Never quotes one, as it may hold a secret."""
    for address in split(text):
        try:
            parts = urlsplit(address)
        except ValueError:
            return "must be a list of Apprise addresses, separated by commas."
        if parts.scheme not in SCHEMES:
            return "names a service that is not supported. Use slack://, discord://, tgram://, matrixs://, ntfys:// or jsons://."
        if not parts.netloc:
            return "holds an address without a host or token."
        if "verify" in parse_qs(parts.query, keep_blank_values=True):
            return "can't turn off the check of TLS certificates."
    return None


def shown(address: str) -> str:
    """Return the scheme, and the host unless it is a secret."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}" if parts.scheme in WITH_HOST else parts.scheme
