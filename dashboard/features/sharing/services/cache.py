"""Reuse the service's answers about an object when the same share link is opened again.

Answers are kept in this process only, for 5 seconds or a tenth of a signed link's life, whichever is shorter. The share link
itself is never cached: its state, password and count are read from the database at every opening.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from dashboard.links.models import Share
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.database import give_back

LONGEST_SECONDS = 5.0
MOST = 1000
# Longest wait for another request's call, as the service may hang.
PATIENCE_SECONDS = 1.0

T = TypeVar("T")
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class _Asked:
    """One call and its time; the answer may contain a signed link."""

    at: float
    answer: Future[Any] = field(default_factory=Future)


_asked: dict[_Key, _Asked] = {}
_lock = Lock()


def reused_for(life: float) -> float:
    """Return how many seconds to reuse an answer that is valid for `life` seconds."""
    return min(LONGEST_SECONDS, life / 10)


def ask(workspace: Workspace, share: Share, of: tuple[str, ...], *, life: float, question: Callable[[], T]) -> T:
    """Return a recent answer for the same link, token and object, or call `question`. `life`: seconds that an answer is valid.

    Simultaneous callers wait for one call, at most a second. Raises the errors of `question`; failures are neither kept nor
    shared. Nothing is reused for a link whose file was missing or unreadable.
    """
    if share.gone_at is not None or share.hidden_at is not None:
        return question()
    key = (share.code_digest, workspace.fingerprint(Kind.STORAGE, share.space), *of)
    now = monotonic()
    with _lock:
        known = _asked.get(key)
        if known is None or known.at <= now - reused_for(life):
            known, mine = None, _keep(key, now)
    if known is None:
        return _answered(key, mine, question)
    if not known.answer.done():
        give_back()
    with suppress(TimeoutError, CancelledError):
        return known.answer.result(max(0.0, known.at + PATIENCE_SECONDS - now))  # type: ignore[no-any-return] # one kind a key
    return question()


def _keep(key: _Key, now: float) -> _Asked:
    """Store a new call. Drops expired ones, and the oldest beyond a thousand."""
    _asked.pop(key, None)
    for other in list(islice(_asked, 2)):
        if _asked[other].at <= now - LONGEST_SECONDS or len(_asked) >= MOST:
            del _asked[other]
    mine = _asked[key] = _Asked(now)
    return mine


def _answered(key: _Key, mine: _Asked, question: Callable[[], T]) -> T:
    try:
        found = question()
    except BaseException:
        with _lock:
            if _asked.get(key) is mine:
                del _asked[key]
        mine.answer.cancel()
        raise
    mine.answer.set_result(found)
    return found
