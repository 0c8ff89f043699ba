"""The child processes of one start: begun, listened to, restarted when they die, and ended together.

One thread and one `select`: signals and dead children wake it through a pipe, each part speaks in lines on its standard output.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

ROOT = Path(__file__).resolve().parent.parent.parent
STEADY_SECONDS = 60.0
MOST_DEATHS = 5
PR_SET_PDEATHSIG = 1


class Stopped(Exception):  # noqa: N818 - not an error
    """A person or the system asked `start` to end."""


class PartFailed(Exception):  # noqa: N818 - says what happened
    """A part ended where it must not, or did not become ready."""


@dataclass(slots=True)
class Part:
    """One child process: how to begin it and what has become of it.

    `alone`: it opens its own ports, so nothing of an earlier one may be left when it begins anew. (A web worker may finish
    its transfers beside the new ones, the port is ours.)
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
    """Every part of one start. Use as a context manager: leaving it ends all of them."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.asked = 0
        self._wake, self._waker = socket.socketpair()
        self._die_with_parent = _death_signal()

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
        """Start a part in a process group of its own, so that Ctrl-C reaches only the parent, which ends the parts in order."""
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
            preexec_fn=self._die_with_parent,  # noqa: PLW1509 - this process has one thread
        )
        if part not in self.parts:
            self.parts.append(part)
        return part

    def line(self, part: Part, seconds: float) -> str:
        """The next line that `part` says. `PartFailed` when it ends or is silent too long, `Stopped` when asked to stop."""
        deadline = time.monotonic() + seconds
        while b"\n" not in part.said:
            if self.asked:
                raise Stopped
            if part.status is not None and not self._read(part):
                raise PartFailed(f"The {part.name} did not start (exit status {part.status}); its own words are above.")
            if time.monotonic() > deadline:
                raise PartFailed(f"The {part.name} was not ready within {seconds:.0f} seconds.")
            self._wait(deadline - time.monotonic())
        text, _, rest = bytes(part.said).partition(b"\n")
        part.said[:] = rest
        return text.decode(errors="replace")

    def tell(self, part: Part, text: str) -> None:
        """Write one line to the standard input of `part`. A part that is gone is noticed when its next line is awaited."""
        with contextlib.suppress(BrokenPipeError):
            if part.process and part.process.stdin:
                part.process.stdin.write(text.encode() + b"\n")
                part.process.stdin.flush()

    def release(self, part: Part) -> None:
        """Let a part that has done its work end, and forget it."""
        self.parts.remove(part)
        if part.process:
            with contextlib.suppress(subprocess.TimeoutExpired), _closed(part.process):
                part.process.wait(30)

    def watch(self, say: Callable[[str], None]) -> None:
        """Stay until asked to stop; begin a part that dies anew. Raises `PartFailed` when one dies again and again."""
        while not self.asked:
            now = time.monotonic()
            for part in self.parts:
                if part.status is not None and not part.again:
                    self._mourn(part, now, say)
                elif part.again and part.again <= now:
                    part.again = 0.0
                    self.begin(part)
            waits = [part.again - now for part in self.parts if part.again]
            self._wait(max(0.0, min(waits)) if waits else None)
            for part in self.parts:
                part.said.clear()

    def end(self, seconds: float = 25.0) -> None:
        """End the parts, the last begun first; whoever is not gone in time is killed, with every process it has begun."""
        for part in reversed(self.parts):
            if part.process is None:
                continue
            with _ended_group(part.process):
                deadline = time.monotonic() + seconds
                already = self.asked
                while part.process.poll() is None and time.monotonic() < deadline and self.asked <= max(already, 1):
                    self._wait(deadline - time.monotonic())
        self.parts.clear()

    def _mourn(self, part: Part, now: float, say: Callable[[str], None]) -> None:
        part.deaths = 1 if now - part.begun > STEADY_SECONDS else part.deaths + 1
        if part.deaths > MOST_DEATHS:
            raise PartFailed(f"The {part.name} ended {part.deaths} times in a row; giving up.")
        if part.alone and part.process:
            _kill_group(part.process.pid)
        delay = 0.25 * 2 ** (part.deaths - 1)
        part.again = now + delay
        say(f"The {part.name} ended ({_ending(part.status)}); starting it again in {delay:g} s.")

    def _wait(self, seconds: float | None) -> None:
        """Sleep until a signal, a word from a part or the given time, and take in what was said."""
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
        """Take in what a part said. False at the end of its output."""
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
    """What a part can still be heard through."""
    output = part.process.stdout if part.process else None
    return None if output is None or output.closed else output


@contextlib.contextmanager
def _ended_group(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ask a process to end, let the caller wait, then kill whatever is left of its group."""
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
    """Close the input of a process, let the caller wait for its end, close its output."""
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


def _death_signal() -> Callable[[], None] | None:
    """What a new child does first: ask Linux for SIGTERM when this parent dies, even by SIGKILL. Elsewhere nothing."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None
    if prctl is None:
        return None
    parent = os.getpid()

    def ask_for_it() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask_for_it
