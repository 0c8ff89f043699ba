"""One hostname's records and how they stand, for whoever owns the DNS: bounded, whoever asks how often."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from time import monotonic

from django.utils import timezone

from dashboard.features.hostname.rules.names import plain
from dashboard.features.hostname.services import checks, hostname
from dashboard.features.hostname.services.dns import Examination
from dashboard.features.hostname.services.hostname import Memory
from dashboard.interfaces import errors
from dashboard.links.ledger import Row, of_page
from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace

# The service is asked (M15) at most once in so long for each hostname, name servers at most once for each worker process.
READ_AGAIN = timedelta(seconds=30)
LOOK_AGAIN_SECONDS = 15.0
MOST_LOOKS = 200
FAILURES = (errors.Unreachable, errors.TimedOut, errors.Broken, errors.SlowDown, errors.Unexpected)


def find(workspace: Workspace, ref: str) -> str:
    """The hostname that is set up (M15 where nothing is remembered of it), "" where none is."""
    memory = hostname.recall(workspace, ref)
    if memory is None or not memory.known.setup:
        memory = hostname.remember(workspace, ref, hostname.read(workspace, ref))
    return plain(memory.known.hostname) if memory.known.setup else ""


def read(workspace: Workspace, ref: str, host: str) -> Memory | None:
    """What is wanted of this hostname; None where it is set up no more. While the service fails, what was known last."""
    workspace.require("management")
    memory = hostname.recall(workspace, ref)
    if memory is None or timezone.now() - memory.known.read_at > READ_AGAIN:
        try:
            memory = hostname.remember(workspace, ref, hostname.read(workspace, ref))
        except FAILURES:
            if memory is None:
                raise
    return memory if memory.known.setup and plain(memory.known.hostname) == host else None


def links_of(workspace: Workspace, ref: str, host: str) -> list[Row]:
    """The live links to the instructions of this hostname that the person may see."""
    return of_page(workspace.person, Share.Kind.HOSTNAME, ref, plain(host))


def look(memory: Memory) -> tuple[Examination, float]:
    """The record doctor's findings and how many seconds old they are. Many at once wait for one and the same look."""
    known = memory.known
    wanted = "\n".join(sorted(f"{record.key}{record.asked}" for record in memory.records))
    return _looks.get(f"{known.fingerprint} {known.ref} {known.certificate} {wanted}", lambda: checks.examine(memory))


@dataclass(frozen=True, slots=True)
class _Look:
    at: float
    answer: Future[Examination]


class _Looks:
    """Recent examinations of this process."""

    def __init__(self) -> None:
        self._kept: dict[str, _Look] = {}
        self._lock = Lock()

    def get(self, key: str, make: Callable[[], Examination]) -> tuple[Examination, float]:
        with self._lock:
            kept = self._kept.get(key)
            mine = kept is None or monotonic() - kept.at > LOOK_AGAIN_SECONDS
            if kept is None or mine:
                if len(self._kept) >= MOST_LOOKS:
                    self._kept.clear()
                kept = self._kept[key] = _Look(monotonic(), Future())
        if mine:
            try:
                kept.answer.set_result(make())
            except BaseException as failure:
                kept.answer.set_exception(failure)
                self.forget(key)
                raise
        return kept.answer.result(), monotonic() - kept.at

    def forget(self, key: str = "") -> None:
        """Look anew next time; without a key everything."""
        with self._lock:
            if key:
                self._kept.pop(key, None)
            else:
                self._kept.clear()


_looks = _Looks()
forget = _looks.forget
