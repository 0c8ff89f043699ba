"""Limit refreshes to 8 calls at a time and 10 a second per token, over all processes and tabs.

Unlike the limits in `web.limits`, it spares the service: the row belongs to a token, and is shared by every process that uses it.
"""

import time
from dataclasses import dataclass

from dashboard.facts.models import Budget

AT_ONCE = 8
PER_SECOND = 10
# The slot of a call whose process died is free again after this time.
LEASE_SECONDS = 60.0
ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to make `calls` calls now. If it is 0, retry after `wait` seconds."""

    fingerprint: str
    calls: int
    wait: float = 0.0
    until: float = 0.0


def claim(fingerprint: str, wanted: int) -> Lease:
    """Return a lease of up to `wanted` calls."""
    for _ in range(ATTEMPTS):
        row, _ = Budget.objects.get_or_create(fingerprint=fingerprint)
        now = time.time()
        begun = sorted(at for at in row.begun if now - 1 < at <= now)
        held = [at for at in row.held if at > now]
        calls = min(wanted, PER_SECOND - len(begun), AT_ONCE - len(held)) if row.rests_until <= now else 0
        if calls <= 0:
            is_full = len(begun) >= PER_SECOND
            return Lease(fingerprint, 0, wait=max(row.rests_until - now, begun[0] + 1 - now if is_full else 0.1, 0.02))
        until = now + LEASE_SECONDS
        if _change(row, begun=[*begun, *[now] * calls], held=[*held, *[until] * calls]):
            return Lease(fingerprint, calls, until=until)
    return Lease(fingerprint, 0, wait=0.1)


def release(lease: Lease, *, rest: float = 0.0) -> None:
    """Return the slots. `rest`: for how many seconds the service accepts no more calls."""
    for _ in range(ATTEMPTS):
        row = Budget.objects.filter(fingerprint=lease.fingerprint).first()
        if row is None:
            return
        held = list(row.held)
        for _ in range(min(lease.calls, held.count(lease.until))):
            held.remove(lease.until)
        if _change(row, held=held, rests_until=max(row.rests_until, time.time() + rest if rest else 0.0)):
            return


def _change(row: Budget, **values: object) -> bool:
    changed = Budget.objects.filter(fingerprint=row.fingerprint, version=row.version)
    return bool(changed.update(**values, version=row.version + 1))
