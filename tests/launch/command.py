"""The real command, run as a person would: in a folder of its own, on a free port, with a clean environment."""

import os
import queue
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.environment import RUN_DIR, once_a_run
from tests.sandboxes import planted

ROOT = Path(__file__).resolve().parent.parent.parent
# Run a program without the capabilities that let root read every process: SYS_PTRACE, SYS_ADMIN and PERFMON.
DROP = "import ctypes, os, sys; [ctypes.CDLL(None).prctl(24, number, 0, 0, 0) for number in (19, 21, 38)]"
AS_ANYBODY = [sys.executable, "-c", f"{DROP}; os.execv(sys.argv[1], sys.argv[1:])"]
# Those of the prepared data folder.
OUR_KEYS = {name: os.environ[name] for name in ("SECRET_KEY", "VAULT_KEYS")}
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")


@dataclass
class Started:
    """A running `manage.py start` and what it printed."""

    process: subprocess.Popen[str]
    address: str
    data: Path
    lines: "queue.Queue[str]" = field(default_factory=queue.Queue)
    welcome: str = ""

    @property
    def link(self) -> str | None:
        found = re.search(r"^  (http\S+)$", self.welcome, re.MULTILINE)
        return found[1] if found else None

    def wait_until_ready(self, seconds: float = 240) -> "Started":
        """Read output until the last line of the welcome."""
        deadline = time.monotonic() + seconds
        while "Ctrl-C ends everything" not in self.welcome:
            self.welcome += self.next_line(deadline - time.monotonic())
        return self

    def wait_for(self, words: str, seconds: float = 240) -> str:
        """Read output until a line contains `words`."""
        deadline = time.monotonic() + seconds
        while words not in (line := self.next_line(deadline - time.monotonic())):
            pass
        return line

    def next_line(self, seconds: float) -> str:
        try:
            line = self.lines.get(timeout=max(0.01, seconds))
        except queue.Empty:
            raise AssertionError(f"it said no more after:\n{self.welcome}") from None
        assert line, f"it ended with {self.process.wait(5)} after:\n{self.welcome}"
        return line

    def children(self) -> dict[int, str]:
        """Return every process below, by id, with its command line."""
        return descendants(self.process.pid)

    def part(self, word: str) -> int:
        """Return the id of the direct child whose command line contains `word`."""
        return self.next_part(word, 0)

    def next_part(self, word: str, earlier: int, seconds: float = 240) -> int:
        """Return the child's id like `part`, once one has followed the `earlier` one."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for pid, command in self.children().items():
                if word in command and pid != earlier and parent_of(pid) == self.process.pid:
                    return pid
            time.sleep(0.05)
        raise AssertionError(f"no part has {word} in its command")

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(240)


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return a clean environment. Static files are collected once for all runs; STATIC_ROOT="" keeps Pilothouse's own place."""
    given = {"PAGE_PATIENCE_MS": os.environ["PAGE_PATIENCE_MS"], **settings}
    if "STATIC_ROOT" not in given:
        given["STATIC_ROOT"] = str(collected())
    elif not given["STATIC_ROOT"]:
        del given["STATIC_ROOT"]
    return {name: os.environ[name] for name in KEPT if name in os.environ} | given


@cache
def collected() -> Path:
    return shutil.copytree(prepared() / "static", RUN_DIR / "collected")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", "start", *arguments]


@cache
def prepared() -> Path:
    """Return a data folder with keys, tables and static files, but no people: what takes longest in a first start."""
    return once_a_run("prepared", _prepare)


def _prepare(folder: Path) -> None:
    for name, key in OUR_KEYS.items():
        (folder / name.lower()).write_text(key)
        (folder / name.lower()).chmod(0o600)
    settings = {"DATA_DIR": str(folder), "STATIC_ROOT": str(folder / "static"), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    subprocess.run(
        [sys.executable, "-m", "dashboard.launch.prepare"],
        cwd=ROOT,
        env=environment({**settings, **OUR_KEYS}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        umask=0o077,
        check=True,
    )
    with closing(sqlite3.connect(folder / "pilothouse.sqlite3")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def starting(data: Path, *arguments: str, **settings: str) -> Iterator[Started]:
    """Run the command; at the end, stop it and everything below it in any case.

    A missing folder is copied from a prepared one, unless settings say where static files, the database or keys are; its sandbox
    is planted, unless they name a service.
    """
    if not data.exists() and not {"STATIC_ROOT", "DATABASE_URL", "SECRET_KEY", "VAULT_KEYS"} & settings.keys():
        shutil.copytree(prepared(), data, ignore=shutil.ignore_patterns("static"))
        if not {"MANAGEMENT_URL", "STORAGE_URL"} & settings.keys():
            shutil.copytree(planted(), data / "sandbox")
    port = free_port()
    process = subprocess.Popen(
        [*AS_ANYBODY, *command("--data", str(data), "--port", str(port), *arguments)],
        cwd=ROOT,
        env=environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    started = Started(process, f"http://localhost:{port}", data)
    reader = threading.Thread(target=_read, args=(process, started.lines))
    reader.start()
    try:
        yield started
    finally:
        below = started.children()
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # A number may belong to another process by now.
        for pid in gone(below, seconds=0):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reader.join(10)
        if process.stdout:
            process.stdout.close()


def refused(*arguments: str, **settings: str) -> tuple[int, str, str]:
    """Run a command to its end and return exit status, standard output and standard error."""
    done = subprocess.run(
        command(*arguments), cwd=ROOT, env=environment(settings), capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


def free_port() -> int:
    """Return a port below the range for outgoing connections, so that none of these takes it or its neighbours."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def descendants(pid: int) -> dict[int, str]:
    parents = {int(entry.name): parent_of(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdecimal()}
    found: dict[int, str] = {}
    line = [pid]
    while line:
        above = line.pop()
        for child, parent in parents.items():
            if parent == above and (command_line := _command_line(child)):
                found[child] = command_line
                line.append(child)
    return found


def is_running(pid: int) -> bool:
    return bool(_command_line(pid))


def gone(pids: Mapping[int, str], seconds: float = 15) -> dict[int, str]:
    """Wait for processes to end. Return those that have not."""
    deadline = time.monotonic() + seconds
    while (left := {pid: name for pid, name in pids.items() if _command_line(pid) == name}) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")
