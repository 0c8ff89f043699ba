"""The table of guards keeps up with the code; `python -m tests.guards` tries what it says."""

import ast
import re
from functools import cache

import pytest

from tests.environment import ROOT
from tests.guards import GUARDS
from tests.guards.guard import Guard
from tests.plugins.exhaustive import PARTS


@cache
def functions_in(file: str) -> set[str]:
    return {node.name for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_the_guarded_text_stands_there_once_and_its_test_exists(guard: Guard) -> None:
    assert (ROOT / guard.file).read_text().count(guard.sound) == 1
    file, _, test = guard.test.partition("::")
    assert test.partition("[")[0].rpartition("::")[2] in functions_in(file)
    # A part that is not there any more is no test.
    assert {number for _, number in re.findall(r"part (\d+) of (\d+)", guard.test)} <= {str(PARTS)}


def test_no_guard_is_named_twice() -> None:
    assert len({(guard.file, guard.sound, guard.broken) for guard in GUARDS}) == len(GUARDS) >= 60
