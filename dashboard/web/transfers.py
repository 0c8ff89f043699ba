"""Limit transfers to half of the threads, and each person to half of those."""

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import ParamSpec, cast

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse

P = ParamSpec("P")

_turn = threading.Lock()
_held: Counter[Hashable] = Counter()


class Busy(Exception):  # noqa: N818 - a state of the server, answered with 503 and Retry-After
    """All transfer slots are taken, or all of one person's (`own`)."""

    def __init__(self, *, own: bool = False) -> None:
        super().__init__()
        self.own = own


@cache
def places() -> threading.BoundedSemaphore:
    """Create the process's semaphore at first use, which is after the workers were forked."""
    return threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))


@contextmanager
def bulkhead(holder: Hashable | None = None) -> Iterator[None]:
    """Hold a transfer slot. Raises `Busy` immediately if none is free, or `holder` has its share."""
    give_back = _take(holder)
    try:
        yield
    finally:
        give_back()


def transfer(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Hold a transfer slot until the view's answer is sent or dropped.

    The share is per signed-in person, because several people may use one address. Visitors have no limit of their own.
    """

    @wraps(view)
    def held(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        give_back = _take(_person(args[0]) if args else None)
        try:
            response = view(*args, **kwargs)
        except BaseException:
            give_back()
            raise
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _Held(cast("Iterator[bytes]", response.streaming_content), give_back)
        else:
            give_back()
        return response

    return held


class _Held:
    """The blocks of an answer; releases the slot when closed."""

    def __init__(self, blocks: Iterable[bytes], give_back: Callable[[], None]) -> None:
        self._blocks = blocks
        self._give_back: Callable[[], None] | None = give_back

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        give_back, self._give_back = self._give_back, None
        if give_back:
            give_back()


def _person(request: object) -> Hashable | None:
    user = getattr(request, "user", None)
    return cast("Hashable", user.pk) if user is not None and user.is_authenticated else None


def _take(person: Hashable | None = None) -> Callable[[], None]:
    semaphore = places()
    if person is not None and not _claim(person):
        raise Busy(own=True)
    if not semaphore.acquire(blocking=False):
        _leave(person)
        raise Busy

    def give_back() -> None:
        semaphore.release()
        _leave(person)

    return give_back


def _claim(person: Hashable) -> bool:
    with _turn:
        if _held[person] >= max(1, settings.WEB_THREADS // 4):
            return False
        _held[person] += 1
        return True


def _leave(person: Hashable | None) -> None:
    if person is None:
        return
    with _turn:
        _held[person] -= 1
        if not _held[person]:
            del _held[person]
