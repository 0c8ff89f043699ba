"""What the maker of an interface sees of its operations: each is let through, and told of afterwards."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from dashboard.interfaces.operations import Operation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One operation after its retries.

    `outcome` is "done" or the name of the exception's class, `status` the HTTP status or None, `retry_after` the seconds
    until it takes another call where it said so, `remaining` the calls left in its rate limit. Of a download it tells how
    it began.
    """

    operation: str
    outcome: str
    status: int | None
    duration_ms: float
    retry_after: float | None
    remaining: int | None


Observer = Callable[[Exchange], None]
"""Called once an operation. It must not raise, and may be called in a pool's thread."""

Gate = Callable[[Operation, str], AbstractContextManager[None]]
"""Entered before an operation is sent, with the service's address and the project's ref as one text; left when its answer began.

It may raise an `InterfaceError`; then nothing is sent. It runs in the thread of the call, which may be a pool's.
"""


class Memory(Protocol):
    """Keeps what was read, and may answer instead of the service. It runs in the thread of the call, which may be a pool's."""

    def read(self, operation: str, question: str, shape: Any, ask: Callable[[], T]) -> T:
        """Return what `ask` returns; `question` is the same text for the same question, `shape` the type of the answer."""
