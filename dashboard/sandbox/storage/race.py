"""The upload race of today's service, which checks for an existing key only before the bytes arrive.

Several simultaneous uploads of one new key may then all get 200, and the last one wins. Off unless
SANDBOX_RACE is 1 or `POST /_race` switches it on; kept in memory.
"""

from dashboard.sandbox.settings import SANDBOX_RACE

_race = {"on": SANDBOX_RACE}


def is_on() -> bool:
    return _race["on"]


def switch(*, on: bool) -> None:
    _race["on"] = on
