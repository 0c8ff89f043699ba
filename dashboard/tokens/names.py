"""The projects as one token last read them (M1), so that no page waits for a name.

They are asked for again in the background when a minute has passed. Only a token that knows nothing yet waits, and never
longer than a second from the first question on.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.projects import Project
from dashboard.web.database import give_back
from dashboard.web.parallel import later

REMEMBERED_SECONDS = 60.0
PATIENCE_SECONDS = 1.0
MOST = 1000

Projects = Sequence[Project]


@dataclass(slots=True)
class _Token:
    """What one token knows, when it last began to ask, and what it asks now."""

    projects: Projects | None = None
    asked_at: float = float("-inf")
    answer: Future[Projects] | None = None


_tokens: dict[str, _Token] = {}
_lock = Lock()


def learn(fingerprint: str, projects: Projects, *, is_fresh: bool = True) -> None:
    """Take what was read; what is not fresh is asked for again when it is next wanted."""
    with _lock:
        token = _token(fingerprint)
        token.projects = tuple(projects)
        if is_fresh:
            token.asked_at = time.monotonic()


def knows(fingerprint: str) -> bool:
    with _lock:
        return fingerprint in _tokens and _tokens[fingerprint].projects is not None


def known(fingerprint: str) -> Projects:
    """What the token knows; asks nobody."""
    with _lock:
        return (_tokens[fingerprint].projects or ()) if fingerprint in _tokens else ()


def projects(fingerprint: str, ask: Callable[[], Projects]) -> Projects:
    """What the token knows, or learns within the second; none where the service refuses, fails or takes its time."""
    with _lock:
        token = _token(fingerprint)
        is_asking = token.answer is not None and not token.answer.done()
        pause = PATIENCE_SECONDS if token.projects is None else REMEMBERED_SECONDS
        if not is_asking and time.monotonic() - token.asked_at >= pause:
            token.asked_at, token.answer = time.monotonic(), later(ask)
        answer, patience = token.answer, token.asked_at + PATIENCE_SECONDS - time.monotonic()
        if token.projects is not None:
            return token.projects
    if answer is None:
        return ()
    if not answer.done():
        give_back()
    try:
        found = answer.result(timeout=max(0.0, patience))
    except (InterfaceError, TimeoutError):
        return ()
    learn(fingerprint, found)
    return found


def forget(fingerprint: str = "") -> None:
    """Forget what this token knows; all of them without one."""
    with _lock:
        if fingerprint:
            _tokens.pop(fingerprint, None)
        else:
            _tokens.clear()


def _token(fingerprint: str) -> _Token:
    if fingerprint not in _tokens and len(_tokens) >= MOST:
        _tokens.clear()
    return _tokens.setdefault(fingerprint, _Token())
