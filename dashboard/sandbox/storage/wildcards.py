"""Older servers take `_` and `%` in the prefix of a listing as wildcards, so that a folder's list holds names of others.

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
    """Return the pattern of the folders that are listed as this one; None if it is only itself."""
    if not is_on() or _ANY.keys().isdisjoint(folder):
        return None
    return f"^{''.join(_ANY.get(character, re.escape(character)) for character in folder)}$"
