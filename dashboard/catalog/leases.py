"""Leases on keys: one upload, move or copy at a time writes to a key, across tabs, people and processes.

The service checks whether a key is free only before the bytes arrive, so two uploads of one new key would both succeed.
Unlike the lease on a job, which a second worker takes over, one on a key only keeps others away until it is released or expires.
"""

import logging
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from dashboard.catalog.models import KeyLease
from dashboard.interfaces.errors import UnknownOutcome
from dashboard.interfaces.transport.bodies import SizedReader
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import key_in_use
from dashboard.web.process.database import give_back

log = logging.getLogger(__name__)

# Longer than the service may be silent during an upload. Leases of a killed process expire after this time.
LEASE_SECONDS = 120
RENEW_SECONDS = 30
# Time the service gets to store an upload after its last byte: none up to this size, else at this many bytes a second.
STORED_AT_ONCE = 64 << 20
STORED_A_SECOND = 32 << 20
_JOB = "job "


class KeyInUseError(Stopped):
    """Another upload or a job is writing to this key, so nothing was sent."""

    def __init__(self, *, own: bool, by_job: bool = False) -> None:
        super().__init__(key_in_use(own=own, by_job=by_job))


class Lease:
    """A key leased by us. Call `renew` while bytes pass; it costs at most one query in 30 seconds."""

    def __init__(self, name: str, holder: str) -> None:
        self._mine = KeyLease.objects.filter(name=name, holder=holder)
        self._renewed = time.monotonic()

    def renew(self) -> None:
        if time.monotonic() - self._renewed > RENEW_SECONDS:
            self.extend(LEASE_SECONDS)

    def extend(self, seconds: float) -> None:
        """Extend the lease from now. A database error is ignored, since the lease still has time left."""
        self._renewed = time.monotonic()
        try:
            self._mine.update(expires_at=timezone.now() + timedelta(seconds=seconds))
        except DatabaseError:
            log.exception("The lease of a key can't be renewed.")
        give_back()

    def release(self) -> None:
        try:
            self._mine.delete()
        except DatabaseError:
            log.exception("The lease of a key can't be released and will expire.")


class LeasedBody:
    """An upload's body that renews the lease as it is read."""

    def __init__(self, body: SizedReader, lease: Lease) -> None:
        self._body = body
        self._lease = lease
        self._left = len(body)

    def read(self, size: int = -1, /) -> bytes:
        block = self._body.read(size)
        self._left -= len(block)
        if self._left:
            self._lease.renew()
        elif len(self) > STORED_AT_ONCE:
            self._lease.extend(seconds_to_store(len(self)))
        return block

    def __len__(self) -> int:
        return len(self._body)


def seconds_to_store(size: int) -> float:
    """Return how long the service may need to store an upload after its last byte: it copies and hashes all of it."""
    return LEASE_SECONDS + (size / STORED_A_SECOND if size > STORED_AT_ONCE else 0)


@contextmanager
def lease(workspace: Workspace, space: str, bucket: str, key: str) -> Iterator[Lease]:
    """Hold the key for the block. Raises `KeyInUseError`.

    After an upload without an answer the lease is not released but expires: the service may still be storing the object.
    """
    held = _acquire(workspace, _name(space, bucket, key))
    try:
        yield held
    except UnknownOutcome:
        raise
    except BaseException:
        held.release()
        raise
    held.release()


def claim(workspace: Workspace, space: str, bucket: str, keys: Collection[str], *, job: int, seconds: float) -> set[str]:
    """Lease keys for a job, or extend its leases. Return the keys that somebody else holds."""
    holder = f"{_JOB}{job}"
    names = {_name(space, bucket, key): key for key in keys}
    now = timezone.now()
    until = now + timedelta(seconds=seconds)
    leases = [KeyLease(name=name, holder=holder, person=workspace.person, expires_at=until) for name in names]
    with transaction.atomic():
        KeyLease.objects.filter(name__in=names, expires_at__lt=now).delete()
        KeyLease.objects.bulk_create(leases, ignore_conflicts=True)
        mine = KeyLease.objects.filter(name__in=names, holder=holder)
        mine.update(expires_at=until)
        held = set(mine.values_list("name", flat=True))
    return {key for name, key in names.items() if name not in held}


def release(space: str, bucket: str, keys: Iterable[str], *, job: int) -> None:
    """Release keys that a job holds."""
    KeyLease.objects.filter(name__in=[_name(space, bucket, key) for key in keys], holder=f"{_JOB}{job}").delete()


def is_held(space: str, bucket: str, key: str) -> bool:
    """Whether the key is leased."""
    return KeyLease.objects.filter(name=_name(space, bucket, key), expires_at__gt=timezone.now()).exists()


def forget_expired() -> None:
    """Delete leases of processes that died."""
    KeyLease.objects.filter(expires_at__lt=timezone.now()).delete()


def _name(space: str, bucket: str, key: str) -> str:
    return sha256(f"{space}\0{bucket}\0{key}".encode(errors="surrogatepass")).hexdigest()


def _acquire(workspace: Workspace, name: str) -> Lease:
    for _ in range(2):
        now, holder = timezone.now(), uuid4().hex
        expires_at = now + timedelta(seconds=LEASE_SECONDS)
        try:
            with transaction.atomic():
                KeyLease.objects.create(name=name, holder=holder, person=workspace.person, expires_at=expires_at)
        except IntegrityError:
            # Take over an expired lease.
            if not KeyLease.objects.filter(name=name, expires_at__lt=now).delete()[0]:
                break
        else:
            return Lease(name, holder)
    other = KeyLease.objects.filter(name=name).first()
    own = other is not None and other.person_id == workspace.person.pk
    raise KeyInUseError(own=own, by_job=other is not None and other.holder.startswith(_JOB))
