"""When this process last made progress. Only a worker's heartbeat uses it.

Progress is what a hanging loop can't make: a pass, a saved result, the end of a call to a service, a block of a transfer.
"""

from time import monotonic

_last = monotonic()


def note() -> None:
    """Record progress. Safe from any thread, and cheap."""
    global _last  # noqa: PLW0603 - one process, one loop
    _last = monotonic()


def silent_seconds() -> float:
    """Return the seconds since the last progress."""
    return monotonic() - _last
