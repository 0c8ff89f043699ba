"""A hostname's records and their states for the owner of the DNS zone. Calls are limited, however often it is opened."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from time import monotonic

from django.utils import timezone

from dashboard.features.hostname.rules.names import plain
from dashboard.features.hostname.services import dns, hostname
from dashboard.features.hostname.services.dns import Examination
from dashboard.features.hostname.services.hostname import Memory
from dashboard.interfaces import errors
from dashboard.links.ledger import Row, of_page
from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace

# Seconds between calls of M15 per hostname, and between DNS lookups per hostname and process.
READ_EVERY = timedelta(seconds=30)
LOOK_UP_EVERY_SECONDS = 15.0
CACHE_SIZE = 200
FAILURES = (errors.Unreachable, errors.TimedOut, errors.Broken, errors.SlowDown, errors.Unexpected)


def find(workspace: Workspace, ref: str) -> str:
    """Return the hostname that is set up (M15 if none is stored), "" if none is."""
    memory = hostname.recall(workspace, ref)
    if memory is None or not memory.known.setup:
        memory = hostname.remember(workspace, ref, hostname.read(workspace, ref))
    return plain(memory.known.hostname) if memory.known.setup else ""


def read(workspace: Workspace, ref: str, host: str) -> Memory | None:
    """Return this hostname's records, the last known ones if the service fails; None once it is deleted."""
    workspace.require("management")
    memory = current(workspace, ref)
    return memory if memory.known.setup and plain(memory.known.hostname) == host else None


def current(workspace: Workspace, ref: str) -> Memory:
    """Return what is stored, after M15 if that is older than half a minute and the service answers."""
    memory = hostname.recall(workspace, ref)
    if memory is None or timezone.now() - memory.known.read_at > READ_EVERY:
        try:
            memory = hostname.remember(workspace, ref, hostname.read(workspace, ref))
        except FAILURES:
            if memory is None:
                raise
    return memory


def links_of(workspace: Workspace, ref: str, host: str) -> list[Row]:
    """Return the active links to this hostname's records that the person may see."""
    return of_page(workspace.person, Share.Kind.HOSTNAME, ref, plain(host))


def look_up(memory: Memory, resolvers: Sequence[str]) -> tuple[Examination, float]:
    """Return the findings and their age in seconds. Concurrent callers share one lookup."""
    known = memory.known
    wanted = "\n".join(sorted(f"{record.key}{record.asked}" for record in memory.records))
    return _look_ups.get(f"{known.fingerprint} {known.ref} {known.certificate} {wanted}", lambda: dns.examine(memory, resolvers))


@dataclass(frozen=True, slots=True)
class _LookUp:
    at: float
    answer: Future[Examination]


class _LookUps:
    """The recent lookups of this process."""

    def __init__(self) -> None:
        self._kept: dict[str, _LookUp] = {}
        self._lock = Lock()

    def get(self, key: str, make: Callable[[], Examination]) -> tuple[Examination, float]:
        with self._lock:
            kept = self._kept.get(key)
            mine = kept is None or monotonic() - kept.at > LOOK_UP_EVERY_SECONDS
            if kept is None or mine:
                if len(self._kept) >= CACHE_SIZE:
                    self._kept.clear()
                kept = self._kept[key] = _LookUp(monotonic(), Future())
        if mine:
            try:
                kept.answer.set_result(make())
            except BaseException as failure:
                kept.answer.set_exception(failure)
                self.forget(key)
                raise
        return kept.answer.result(), monotonic() - kept.at

    def forget(self, key: str = "") -> None:
        """Drop one lookup, or all without a key."""
        with self._lock:
            if key:
                self._kept.pop(key, None)
            else:
                self._kept.clear()


_look_ups = _LookUps()
forget = _look_ups.forget
