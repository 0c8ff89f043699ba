"""Hooks around operations: a gate before, an observer after, a memory for reads."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from dashboard.interfaces.operations import Operation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One operation after its retries.

    `outcome` is "done" or the exception's class name, `status` the HTTP status, `retry_after` in seconds, `remaining` the calls
    left in the rate limit and `reset` the seconds until it starts anew. For a download it describes the beginning.
    `bucket` is the one that the operation's address names, `rows` how long an answer is that is a list.
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
    """Keeps answers to reads, and may replay them. It runs in the thread of the call."""

    def read(self, operation: str, question: str, shape: Any, ask: Callable[[], T]) -> T:
        """Return the answer of `ask` or a kept one; `question` encodes the arguments, `shape` is the type."""
