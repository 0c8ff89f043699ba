"""The race of uploads that today's service has: it looks whether a key is taken before the bytes come, and not again after.

Of several uploads of one new key at the same time more than one is then told 200, and the last one is what stays. Off unless
SANDBOX_RACE is 1 or `POST /_race` switches it on; kept in memory.
"""

from dashboard.sandbox.settings import SANDBOX_RACE

_race = {"on": SANDBOX_RACE}


def is_on() -> bool:
    return _race["on"]


def switch(*, on: bool) -> None:
    _race["on"] = on
