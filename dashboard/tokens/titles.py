"""What the projects are called, as one token sees them: asked once a minute, and never waited for longer than a second.

A page of the storage says the project's name when it can. It must not hang, nor use up what the management interface
allows in a minute, for the sake of a heading.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock

from dashboard.interfaces.errors import InterfaceError
from dashboard.web.database import give_back
from dashboard.web.pool import later

REMEMBERED_SECONDS = 60.0
PATIENCE_SECONDS = 1.0
MOST = 1000

Titles = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Asked:
    at: float
    answer: Future[Titles]

    @property
    def is_good(self) -> bool:
        """Under way, or answered within the last minute."""
        if not self.answer.done():
            return True
        return self.answer.exception() is None and time.monotonic() - self.at < REMEMBERED_SECONDS


_asked: dict[str, _Asked] = {}
_lock = Lock()


def titles(fingerprint: str, ask: Callable[[], Titles]) -> Titles:
    """Names by ref (M1) that the token of this fingerprint reads; none where the service refuses, fails or takes its time."""
    with _lock:
        known = _asked.get(fingerprint)
        if known is None or not known.is_good:
            if len(_asked) >= MOST:
                _asked.clear()
            known = _asked[fingerprint] = _Asked(time.monotonic(), later(ask))
    if not known.answer.done():
        give_back()
    try:
        return known.answer.result(timeout=PATIENCE_SECONDS)
    except (InterfaceError, TimeoutError):
        return {}


def forget() -> None:
    """Ask anew next time."""
    with _lock:
        _asked.clear()
