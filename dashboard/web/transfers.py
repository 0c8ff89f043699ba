"""The bulkhead: transfers take at most half of the threads, so that pages stay quick."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import ParamSpec, cast

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse

P = ParamSpec("P")


class Busy(Exception):  # noqa: N818 - a state of the server, answered with 503 and Retry-After
    """All places for transfers are taken."""


@cache
def places() -> threading.BoundedSemaphore:
    """One per process, made at first use (after the workers were forked)."""
    return threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))


@contextmanager
def bulkhead() -> Iterator[None]:
    """Holds one place; raises `Busy` at once when none is free."""
    give_back = _take()
    try:
        yield
    finally:
        give_back()


def transfer(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """A view that moves bytes: it holds a place until its answer is sent to the end, or dropped."""

    @wraps(view)
    def held(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        give_back = _take()
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
    """Blocks of an answer; gives the place back when it is closed."""

    def __init__(self, blocks: Iterable[bytes], give_back: Callable[[], None]) -> None:
        self._blocks = blocks
        self._give_back: Callable[[], None] | None = give_back

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        give_back, self._give_back = self._give_back, None
        if give_back:
            give_back()


def _take() -> Callable[[], None]:
    semaphore = places()
    if not semaphore.acquire(blocking=False):
        raise Busy
    return semaphore.release
