"""What an observer is told of an operation."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """One operation after its retries.

    `outcome` is "done" or the name of the exception's class, `status` the HTTP status or None, `retry_after` seconds,
    `remaining` the calls left in the service's rate limit where it said so. Of a download it tells how it began.
    """

    operation: str
    outcome: str
    status: int | None
    duration_ms: float
    retry_after: float | None
    remaining: int | None


Observer = Callable[[Exchange], None]
"""Called once an operation. It must not raise, and may be called in a pool's thread."""
