"""A sandbox in a separate process."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dashboard.interfaces import StorageInterface, Token
from tests.environment import ROOT, once_a_run

# The state in which every sandbox of a run starts, and to which a test returns.
RACE = os.environ.get("SANDBOX_RACE") == "1"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A running sandbox with its addresses and tokens, as printed in its first line."""

    management_url: str
    storage_url: str
    dns: str
    personal_token: str
    storage_tokens: dict[str, dict[str, str]]
    process: subprocess.Popen[str]

    def storage(self, ref: str) -> str:
        return self.storage_url.replace("{ref}", ref)

    def interface(self, ref: str, token: str = "") -> StorageInterface:
        """A project's storage as this token sees it, without one as its service key does."""
        return StorageInterface(self.storage(ref), Token(token or self.storage_tokens[ref]["service"]))


class Seed:
    """What the management half of a sandbox holds at first. `restore` brings it back, whatever a test or a read has changed."""

    def __init__(self, data: Path) -> None:
        self._path = data / "sandbox.sqlite3"
        self.connect()
        names = self._database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'sandbox!_%' ESCAPE '!'"
            " AND name NOT LIKE 'sandbox!_storage!_%' ESCAPE '!'"
        )
        self._tables = [str(name) for (name,) in names.fetchall()]
        self._rows = self._read()
        self._version = self._others_wrote()

    def connect(self) -> sqlite3.Connection | None:
        """Open its database. Return what was open before: in a fork it may not be used, nor closed."""
        before: sqlite3.Connection | None = vars(self).get("_database")
        self._database = sqlite3.connect(self._path, isolation_level=None, timeout=20)
        self._version = -1
        return before

    def restore(self) -> None:
        if self._version == (version := self._others_wrote()):
            return
        self._version = version
        now = self._read()
        changed = [table for table in self._tables if now[table] != self._rows[table]]
        if not changed:
            return
        self._database.execute("BEGIN IMMEDIATE")
        for table in changed:
            self._database.execute(f"DELETE FROM {table}")
            if rows := self._rows[table]:
                self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()

    def _read(self) -> dict[str, list[tuple[object, ...]]]:
        return {table: self._database.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in self._tables}

    def _others_wrote(self) -> int:
        """A number that changes whenever another process has written."""
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])


# Those of this process.
seeds: list[Seed] = []


@cache
def planted() -> Path:
    """The data folder of a sandbox with all that it plants on its first start, made once for all."""
    return once_a_run("planted", lambda folder: stop_sandbox(start_sandbox(folder)))


def start_sandbox(data: Path, *options: str, port: int = 0) -> Sandbox:
    """A missing folder is copied from one that is planted already. Slow changes take effect at once, unless told otherwise."""
    if not data.exists() and "--empty" not in options:
        shutil.copytree(planted(), data)
    process = subprocess.Popen(
        [sys.executable, "-m", "dashboard.sandbox", "--data", str(data), "--port", str(port), "--delay", "0", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"the sandbox did not start (exit status {process.wait(10)})"
    facts: dict[str, Any] = json.loads(line)
    return Sandbox(
        management_url=facts["management_url"],
        storage_url=facts["storage_url"],
        dns=facts["dns"],
        personal_token=facts["personal_token"],
        storage_tokens=facts["storage_tokens"],
        process=process,
    )


def stop_sandbox(sandbox: Sandbox) -> None:
    sandbox.process.terminate()
    sandbox.process.wait(20)
    if sandbox.process.stdout:
        sandbox.process.stdout.close()
