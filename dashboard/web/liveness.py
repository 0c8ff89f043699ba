"""When this process last got on with its work. A worker's heartbeat goes by it; elsewhere nobody asks.

Progress is what a loop that hangs can't make: a pass, a saved result, the end of a call to a service, a block of a transfer.
"""

from time import monotonic

_last = monotonic()


def note() -> None:
    """Record progress. From any thread; it costs nothing."""
    global _last  # noqa: PLW0603 - one process, one loop
    _last = monotonic()


def silent_seconds() -> float:
    """Return the seconds since the last progress."""
    return monotonic() - _last
