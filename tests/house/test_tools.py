"""The tools that CONTRIBUTING lists work in a fresh clone, without an environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import rights

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", [("check",), ("makemigrations", "--check", "--dry-run")], ids=" ".join)
def test_a_command_needs_no_environment(command: tuple[str, ...]) -> None:
    done = run("manage.py", *command, "--settings", "tests.tool_settings")
    assert (done.returncode, done.stderr) == (0, "")


def test_mypy_finds_settings_without_an_environment() -> None:
    done = run("-m", "mypy", "--no-incremental", "--follow-imports", "skip", "tests/tool_settings.py")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_authorization_matrix_is_up_to_date() -> None:
    assert rights.written().strip() == rights.matrix().strip(), "run: python -m tests.rights"
