"""Wildcards: older servers take `_` and `%` in a listing's prefix as such, so a folder's list also shows other folders' names.

Off unless `POST /_wildcards` switches it on; kept in memory.
"""

import re

_wildcards = {"on": False}
_ANY = {"_": ".", "%": ".*"}


def is_on() -> bool:
    return _wildcards["on"]


def switch(*, on: bool) -> None:
    _wildcards["on"] = on


def matching(folder: str) -> str | None:
    """Return the pattern of the folders listed along with this one; None if there are no others."""
    if not is_on() or _ANY.keys().isdisjoint(folder):
        return None
    return f"^{''.join(_ANY.get(character, re.escape(character)) for character in folder)}$"
