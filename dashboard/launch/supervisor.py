"""Supervise the child processes: start, read their output, restart and stop them.

One thread and one `select`: signals and child exits wake it through a pipe; parts print lines on standard output.
"""

import contextlib
import math
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from dashboard.web.process.kernel import end_with_parent

ROOT = Path(__file__).resolve().parent.parent.parent
STABLE_AFTER_SECONDS = 60.0
MAX_RESTARTS = 5
LATE_SECONDS = 3.0


class Stopped(Exception):  # noqa: N818 - not an error
    """`start` was asked to stop."""


class PartFailed(Exception):  # noqa: N818 - reads as a sentence
    """A part ended unexpectedly or did not become ready."""


@dataclass(slots=True)
class Part:
    """One child process: its command and its state.

    `alone`: it opens its own ports, so its old process group is killed before a restart. Old web workers may finish their
    transfers, because the parent owns their port.
    """

    name: str
    command: Sequence[str]
    environ: Mapping[str, str]
    descriptors: Sequence[int] = ()
    alone: bool = False
    process: subprocess.Popen[bytes] | None = None
    said: bytearray = field(default_factory=bytearray)
    deaths: int = 0
    begun: float = 0.0
    again: float = 0.0

    @property
    def status(self) -> int | None:
        return self.process.poll() if self.process else None


class Crew:
    """All child processes of one start. Leaving the context stops them."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.asked = 0
        self._wake, self._waker = socket.socketpair()
        self._end_with_parent = _ending_with(os.getpid())

    def __enter__(self) -> "Crew":
        self._wake.setblocking(False)
        self._waker.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN or number != signal.SIGHUP:
                signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self, part: Part) -> Part:
        """Start a part in its own process group, so that Ctrl-C reaches only the parent."""
        part.said.clear()
        part.begun = time.monotonic()
        part.process = subprocess.Popen(  # noqa: S603 - our own command lines
            part.command,
            cwd=ROOT,
            env=dict(part.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=tuple(part.descriptors),
            process_group=0,
            preexec_fn=self._end_with_parent,  # noqa: PLW1509 - this process has one thread
        )
        if part not in self.parts:
            self.parts.append(part)
        return part

    def line(self, part: Part, seconds: float = math.inf, late: Callable[[], None] | None = None) -> str:
        """Return the next output line of `part`; call `late` once if it takes longer than usual.

        Raises `PartFailed` on exit or timeout, or `Stopped`.
        """
        begun = time.monotonic()
        while b"\n" not in part.said:
            if self.asked:
                raise Stopped
            if part.status is not None and not self._read(part):
                raise PartFailed(f"The {part.name} did not start (exit status {part.status}); its output is above.")
            waited = time.monotonic() - begun
            if late and waited > LATE_SECONDS:
                late()
                late = None
            if waited > seconds:
                raise PartFailed(f"The {part.name} was not ready within {seconds:.0f} seconds.")
            left = min(seconds, LATE_SECONDS if late else math.inf) - waited
            self._wait(None if left == math.inf else left)
        text, _, rest = bytes(part.said).partition(b"\n")
        part.said[:] = rest
        return text.decode(errors="replace")

    def tell(self, part: Part, text: str) -> None:
        """Write one line to the standard input of `part`; `line` notices if it has ended."""
        with contextlib.suppress(BrokenPipeError):
            if part.process and part.process.stdin:
                part.process.stdin.write(text.encode() + b"\n")
                part.process.stdin.flush()

    def watch(self, say: Callable[[str], None]) -> None:
        """Restart parts that exit until asked to stop. Raises `PartFailed` after too many restarts."""
        while not self.asked:
            now = time.monotonic()
            for part in self.parts:
                if part.status is not None and not part.again:
                    self._schedule_restart(part, now, say)
                elif part.again and part.again <= now:
                    part.again = 0.0
                    self.begin(part)
            waits = [part.again - now for part in self.parts if part.again]
            self._wait(max(0.0, min(waits)) if waits else None)
            for part in self.parts:
                part.said.clear()

    def end(self, seconds: float = 25.0) -> None:
        """Stop the parts in reverse order; kill the process groups of those that don't stop in time."""
        for part in reversed(self.parts):
            if part.process is None:
                continue
            with _ended_group(part.process):
                deadline = time.monotonic() + seconds
                already = self.asked
                while part.process.poll() is None and time.monotonic() < deadline and self.asked <= max(already, 1):
                    self._wait(deadline - time.monotonic())
        self.parts.clear()

    def _schedule_restart(self, part: Part, now: float, say: Callable[[str], None]) -> None:
        part.deaths = 1 if now - part.begun > STABLE_AFTER_SECONDS else part.deaths + 1
        if part.deaths > MAX_RESTARTS:
            raise PartFailed(f"The {part.name} ended {part.deaths} times in a row; giving up.")
        if part.alone and part.process:
            _kill_group(part.process.pid)
        delay = 0.25 * 2 ** (part.deaths - 1)
        part.again = now + delay
        say(f"The {part.name} ended ({_ending(part.status)}); starting it again in {delay:g} s.")

    def _wait(self, seconds: float | None) -> None:
        """Sleep until a signal, output or the timeout; read the output."""
        speakers = {output.fileno(): part for part in self.parts if (output := _output(part))}
        wake = self._wake.fileno()
        ready, _, _ = select.select([wake, *speakers], [], [], None if seconds is None else max(0.0, seconds))
        for descriptor in ready:
            if descriptor == wake:
                with contextlib.suppress(BlockingIOError):
                    self._wake.recv(4096)
            else:
                self._read(speakers[descriptor])

    def _read(self, part: Part) -> bool:
        """Read a part's output; return False at its end."""
        output = _output(part)
        if output is None:
            return False
        data = os.read(output.fileno(), 65536)
        part.said += data
        if not data:
            output.close()
        return bool(data)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.asked += 1


def _output(part: Part) -> IO[bytes] | None:
    """Return the part's standard output, if open."""
    output = part.process.stdout if part.process else None
    return None if output is None or output.closed else output


@contextlib.contextmanager
def _ended_group(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Terminate a process, let the caller wait, then kill what is left of its group."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    yield
    _kill_group(process.pid)
    with _closed(process):
        process.wait()


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


@contextlib.contextmanager
def _closed(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Close a process's input, let the caller wait for its exit, then close its output."""
    if process.stdin:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    yield
    if process.stdout:
        process.stdout.close()


def _ending(status: int | None) -> str:
    if status is not None and status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"exit status {status}"


def _ending_with(parent: int) -> Callable[[], None]:
    """Return a preexec function by which a child ends when its parent dies."""

    def request_signal() -> None:
        end_with_parent()
        if os.getppid() != parent:
            os._exit(1)

    return request_signal
