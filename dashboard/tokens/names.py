"""A cache of each token's projects (M1), so that pages don't wait for names.

Entries older than a minute are refreshed in the background. Only a token's first read waits, at most a second.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.projects import Project
from dashboard.web.process.database import give_back
from dashboard.web.process.parallel import later

REMEMBERED_SECONDS = 60.0
PATIENCE_SECONDS = 1.0
MAX_TOKENS = 1000

Projects = Sequence[Project]


@dataclass(slots=True)
class _Token:
    """The cached projects of one token and its current request."""

    projects: Projects | None = None
    asked_at: float = float("-inf")
    answer: Future[Projects] | None = None


_tokens: dict[str, _Token] = {}
_lock = Lock()


def learn(fingerprint: str, projects: Projects, *, is_fresh: bool = True) -> None:
    """Cache projects. If not `is_fresh`, they are refreshed on the next use."""
    with _lock:
        token = _token(fingerprint)
        token.projects = tuple(projects)
        if is_fresh:
            token.asked_at = time.monotonic()


def knows(fingerprint: str) -> bool:
    with _lock:
        return fingerprint in _tokens and _tokens[fingerprint].projects is not None


def known(fingerprint: str) -> Projects:
    """Return the cached projects. Calls no service."""
    with _lock:
        return (_tokens[fingerprint].projects or ()) if fingerprint in _tokens else ()


def joined(lists: Iterable[Projects]) -> Projects:
    """Return the projects of several lists without duplicates."""
    first, *others = list(lists) or [()]
    if not others:
        return first
    found = {project.id: project for projects in (first, *others) for project in reversed(projects)}
    return tuple(found.values())


def projects(fingerprint: str, ask: Callable[[], Projects]) -> Projects:
    """Return cached projects, or those read within a second; empty on failure or delay."""
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
    """Clear the cache of one token, or of all."""
    with _lock:
        if fingerprint:
            _tokens.pop(fingerprint, None)
        else:
            _tokens.clear()


def _token(fingerprint: str) -> _Token:
    if fingerprint not in _tokens and len(_tokens) >= MAX_TOKENS:
        _tokens.clear()
    return _tokens.setdefault(fingerprint, _Token())
