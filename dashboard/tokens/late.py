"""Unfinished calls of pages drawn from last known data.

The page requests itself again at once, with the code of its calls, so that the service is not called twice. They are kept in this
process; a request that reaches another process calls the service itself.
"""

import secrets
import time
from dataclasses import dataclass, field
from threading import Lock

from dashboard.tokens.last_known import Readings
from dashboard.tokens.workspace import Workspace

KEPT_SECONDS = 60.0
MOST = 64


@dataclass(frozen=True, slots=True)
class Left:
    """The reads of one page, and the workspace that makes them."""

    workspace: Workspace
    readings: Readings
    code: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    since: float = field(default_factory=time.monotonic)


_left: dict[str, Left] = {}
_lock = Lock()


def leave(left: Left) -> None:
    """Keep the unfinished calls of a page for its next request."""
    with _lock:
        _drop_old()
        while len(_left) >= MOST:
            del _left[next(iter(_left))]
        _left[left.code] = left


def take(code: str, person_id: int) -> Left | None:
    """Return the calls left by a page of the same person, once."""
    with _lock:
        _drop_old()
        found = _left.get(code)
        return _left.pop(code) if found and found.workspace.person.pk == person_id else None


def _drop_old() -> None:
    for code in [code for code, left in _left.items() if left.since < time.monotonic() - KEPT_SECONDS]:
        del _left[code]
