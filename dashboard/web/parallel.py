"""Independent calls of one page, side by side, in one pool of threads per process."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NoReturn, TypeVar, overload

from django.db import connections

from dashboard.interfaces.errors import InterfaceError
from dashboard.web.database import give_back

# Three for each of the requests that may wait for a service that hangs (half of 32), and as many for the others.
SIZE = 96

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

_chore: ContextVar[Callable[[], None] | None] = ContextVar("chore", default=None)


class DatabaseInPool(RuntimeError):  # noqa: N818 - it names the mistake
    """A thread of the pool asked the database: each would keep a connection of its own, and nothing would close it."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[T]):
    """How one of the calls ended: `value`, or the `error` of the interface."""

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
    """All results in order. Waits for every call; then the first failure, in order, goes up."""
    return tuple(future.result() for future in _run(calls))


def settle(*calls: Callable[[], T]) -> list[Settled[T]]:
    """How each ended, in order; a failure of the interface stays with its own call. Everything else goes up."""
    ended: list[Settled[T]] = []
    for future in _run(calls):
        try:
            ended.append(Settled(value=future.result()))
        except InterfaceError as error:
            ended.append(Settled(error=error))
    return ended


@overload
def in_time(first: Callable[[], A], /, *, seconds: float) -> tuple[A] | None: ...
@overload
def in_time(first: Callable[[], A], second: Callable[[], B], /, *, seconds: float) -> tuple[A, B] | None: ...


def in_time(*calls: Callable[[], object], seconds: float) -> tuple[object, ...] | None:
    """As `side_by_side`; None when not all have ended within so many seconds (they go on, and nobody waits)."""
    futures = [_pool().submit(call) for call in calls]
    use_the_wait()
    _, late = wait(futures, timeout=seconds)
    return None if late else tuple(future.result() for future in futures)


def later(call: Callable[[], T]) -> Future[T]:
    """Begun now, for somebody who may stop waiting for it."""
    return _pool().submit(call)


def _run(calls: Sequence[Callable[[], T]]) -> list[Future[T]]:
    futures = [_pool().submit(call) for call in calls]
    use_the_wait()
    wait(futures)
    return futures


@contextmanager
def while_waiting(chore: Callable[[], None]) -> Iterator[None]:
    """Within, `chore` is done once, by this thread, as soon as it would wait for calls that go side by side."""
    before = _chore.set(chore)
    try:
        yield
    finally:
        _chore.reset(before)


def use_the_wait() -> None:
    """For a thread that has begun calls `later` and is about to wait for them: do the chore, and keep no connection."""
    if chore := _chore.get():
        _chore.set(None)
        chore()
    give_back()


@cache
def _pool() -> ThreadPoolExecutor:
    """Made at first use, so after the workers were forked."""
    return ThreadPoolExecutor(SIZE, thread_name_prefix="side-by-side", initializer=without_database)


def without_database() -> None:
    """For the threads of a pool, when they begin: any use of the database is `DatabaseInPool`."""
    for connection in connections.all():
        connection.connect = _refuse  # type: ignore[method-assign] # a wrapper of queries would connect first


def _refuse(*_: Any) -> NoReturn:
    raise DatabaseInPool("read what is needed before the calls go side by side")
