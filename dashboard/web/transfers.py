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
    if not places().acquire(blocking=False):
        raise Busy
    try:
        yield
    finally:
        places().release()


def transfer(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """A view that moves bytes: it holds a place until its answer is sent to the end, or dropped."""

    @wraps(view)
    def held(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        place = bulkhead()
        place.__enter__()
        try:
            response = view(*args, **kwargs)
        except BaseException:
            place.__exit__(None, None, None)
            raise
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            blocks = cast("Iterator[bytes]", response.streaming_content)
            response.streaming_content = _Held(blocks, lambda: place.__exit__(None, None, None))
        else:
            place.__exit__(None, None, None)
        return response

    return held


class _Held:
    """Blocks of an answer; gives its place back when closed, once."""

    def __init__(self, blocks: Iterable[bytes], release: Callable[[], object]) -> None:
        self._blocks = blocks
        self._release: Callable[[], object] | None = release

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        release, self._release = self._release, None
        if release:
            release()
