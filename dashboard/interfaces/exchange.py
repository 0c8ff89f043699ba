"""Hooks around operations: a gate before, an observer after, a cache of reads."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from dashboard.interfaces.operations import Operation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One operation after its retries.

    `outcome` is "done" or the exception's class name, `status` the HTTP status, `retry_after` in seconds. `remaining` is the
    number of calls left in the rate limit, `reset` the seconds until it starts anew. A download is reported when its answer
    begins. `bucket` is the one in the operation's path, `rows` the length if the answer is a list.
    """

    operation: str
    outcome: str
    status: int | None
    duration_ms: float
    retry_after: float | None
    remaining: int | None
    reset: float | None = None
    bucket: str = ""
    rows: int | None = None


Observer = Callable[[Exchange], None]
"""Called once per operation, maybe in a pool thread. It must not raise."""

Gate = Callable[[Operation, str], AbstractContextManager[None]]
"""Entered before an operation is sent, with "address ref" as scope; left when its answer begins.

If it raises an `InterfaceError`, nothing is sent. It runs in the thread of the call, maybe a pool thread.
"""


class Memory(Protocol):
    """Caches answers to reads. Runs in the thread of the call."""

    def read(self, operation: str, question: str, shape: Any, ask: Callable[[], T]) -> T:
        """Return a cached answer or that of `ask`. `question` encodes the arguments, `shape` is the type."""
