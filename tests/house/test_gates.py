"""The gates are the same before a commit, in .ci/run and in the documents."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CI = (ROOT / ".ci/run").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook
    for repository in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for hook in repository["hooks"]
}
TESTS = HOOKS["tests"]["entry"]


def bare(command: str) -> str:
    return command.replace(".venv/bin/", "")


def test_every_hook_is_local_and_complete() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert config.keys() == {"repos"}
    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    assert list(HOOKS) == ["format", "templates", "lint", "layers", "types", "migrations", "tests"]
    for hook in HOOKS.values():
        assert hook["language"] == "system"
        # Either it looks at everything or at the files that the commit touches, as named.
        assert (hook.get("pass_filenames", True), "files" in hook) in {(False, False), (True, True)}
        tool = re.fullmatch(r"\.venv/bin/([\w-]+)", hook["entry"].split()[0])
        assert tool
        assert (Path(sys.executable).parent / tool[1]).exists()


@pytest.mark.parametrize("gate", HOOKS)
def test_the_whole_check_runs_each_hook(gate: str) -> None:
    assert bare(HOOKS[gate]["entry"]) in bare(CI)


@pytest.mark.parametrize("gate", HOOKS)
def test_contributing_lists_each_task(gate: str) -> None:
    command = bare(HOOKS[gate]["entry"])
    # In a clone one wants to see every line, and files formatted.
    shown = re.sub(r" --(quiet|no-error-summary|no-cache|dry-run)\b", "", command).replace("ruff format --check", "ruff format")
    assert shown in bare(CONTRIBUTING)


def test_the_readme_and_the_whole_check_run_the_tests_by_one_command() -> None:
    assert f"&& {TESTS}\n" in (ROOT / "README.md").read_text()
    assert f"\n{TESTS}\n" in CI
