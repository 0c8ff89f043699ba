"""Run independent calls of one page in parallel, in one thread pool per process."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NoReturn, TypeVar, overload

from django.db import connections

from dashboard.interfaces.errors import InterfaceError
from dashboard.web.process.database import give_back

# Three threads for each request that may wait for a hung service (half of 32), and as many for all others.
SIZE = 96
# Maximum number of simultaneous calls of one job or page.
CONCURRENCY = 8

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class DatabaseInPool(RuntimeError):  # noqa: N818 - names the mistake
    """A pool thread used the database, which would leak its connection."""


@dataclass(frozen=True, slots=True)
class Tried(Generic[T]):
    """The outcome of one call: its `value`, or the interface `error`."""

    value: T | None = None
    error: InterfaceError | None = None


@overload
def side_by_side(first: Callable[[], A], second: Callable[[], B], /) -> tuple[A, B]: ...
@overload
def side_by_side(first: Callable[[], A], second: Callable[[], B], third: Callable[[], C], /) -> tuple[A, B, C]: ...
@overload
def side_by_side(
    first: Callable[[], A], second: Callable[[], B], third: Callable[[], C], fourth: Callable[[], D], /
) -> tuple[A, B, C, D]: ...
@overload
def side_by_side(*calls: Callable[[], T]) -> tuple[T, ...]: ...


def side_by_side(*calls: Callable[[], object]) -> tuple[object, ...]:
    """Return all results in order. Waits for every call, then raises the first failure in that order."""
    return tuple(future.result() for future in _run(calls))


def try_all(*calls: Callable[[], T]) -> list[Tried[T]]:
    """Return each call's outcome in order. Interface errors are returned; others are raised."""
    ended: list[Tried[T]] = []
    for future in _run(calls):
        try:
            ended.append(Tried(value=future.result()))
        except InterfaceError as error:
            ended.append(Tried(error=error))
    return ended


@overload
def in_time(first: Callable[[], A], /, *, seconds: float) -> tuple[A] | None: ...
@overload
def in_time(first: Callable[[], A], second: Callable[[], B], /, *, seconds: float) -> tuple[A, B] | None: ...


def in_time(*calls: Callable[[], object], seconds: float) -> tuple[object, ...] | None:
    """Return all results in order, or None if a call takes longer than `seconds`. Late calls continue in the background."""
    futures = [_pool().submit(call) for call in calls]
    give_back()
    _, late = wait(futures, timeout=seconds)
    return None if late else tuple(future.result() for future in futures)


def later(call: Callable[[], T]) -> Future[T]:
    """Start a call now and return its future."""
    return _pool().submit(call)


def apart(call: Callable[[], T]) -> Future[T]:
    """Start a call that may outlive its request. It gets a thread of its own pool, as those of `later` may wait for it."""
    return _pool_apart().submit(call)


def map_bounded(call: Callable[[A], T], things: Iterable[A]) -> list[T]:
    """Run `call` for each thing, a few at a time; return the results in order. Raises the first error once all have ended."""
    results: list[T] = []
    running: deque[Future[T]] = deque()
    try:
        for thing in things:
            if len(running) >= CONCURRENCY:
                results.append(running.popleft().result())
            running.append(_pool().submit(call, thing))
        while running:
            results.append(running.popleft().result())
    finally:
        wait(running)
    return results


def _run(calls: Sequence[Callable[[], T]]) -> list[Future[T]]:
    futures = [_pool().submit(call) for call in calls]
    give_back()
    wait(futures)
    return futures


@cache
def _pool() -> ThreadPoolExecutor:
    """Create the pool at first use, which is after the workers were forked."""
    return ThreadPoolExecutor(SIZE, thread_name_prefix="side-by-side", initializer=without_database)


@cache
def _pool_apart() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(SIZE, thread_name_prefix="apart", initializer=without_database)


def without_database() -> None:
    """Thread initializer: make any use of the database raise `DatabaseInPool`."""
    for connection in connections.all():
        connection.connect = _refuse  # type: ignore[method-assign] # a wrapper of queries would connect first


def _refuse(*_: Any) -> NoReturn:
    raise DatabaseInPool("read what is needed before the calls go side by side")
