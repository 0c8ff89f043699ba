"""A sandbox in a separate process."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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
