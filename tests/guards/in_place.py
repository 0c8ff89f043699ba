"""Try faults in one process that has loaded everything: each in a fork, whose functions get the code of the broken text.

A plugin (`-p`) of the runs that `python -m tests.guards` begins. First, each test passes without a fault in the same way. A
fault that changes more than the code of functions, or whose test looks at other processes, needs a copy of the repository.
"""

import gc
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from pathlib import Path
from sqlite3 import Connection
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol
from django.db import connections
from django.template.loader import get_template
from django.urls import reverse

from tests.environment import ROOT
from tests.guards import GUARDS
from tests.guards.guard import BEGIN, BY_ASSERTION, Guard
from tests.sandboxes import seeds

SECONDS = 20
# The processes that these start load the sound files.
ELSEWHERE = ("tests/browser/", "tests/launch/")
PASSED, NOTICED, OTHERWISE = 0, 10, 11


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--guards", help="their numbers, divided by commas")
    parser.addoption("--noticed", help="the file for the numbers of those whose test detects the fault")


def test_begin(sandbox: object, db: None) -> None:
    """Start and load what all forks use."""
    reverse("home:index")
    for path in (ROOT / "templates").rglob("*.html"):
        get_template(str(path.relative_to(ROOT / "templates")))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    begin = next(item for item in session.items if item.nodeid == BEGIN)
    # That others follow keeps what is for the whole run.
    runtestprotocol(begin, log=False, nextitem=next(item for item in session.items if item is not begin))
    connections.close_all()
    # What is frozen is found by nobody.
    gc.unfreeze()
    functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
    gc.freeze()
    guards = {GUARDS[int(number)]: number for number in session.config.getoption("--guards").split(",")}
    faults = {guard: found for guard in guards if (found := list(broken_functions(guard, functions)))}
    cases = {guard.test: list(_cases(guard.test, session.items)) for guard in faults}
    passing = {test for test, items in cases.items() if items and _tried(items, [], begin) == PASSED}
    noticed = [guard for guard in faults if guard.test in passing and _tried(cases[guard.test], faults[guard], begin) == NOTICED]
    Path(session.config.getoption("--noticed")).write_text(",".join(guards[guard] for guard in noticed))
    return True


def _cases(test: str, items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the cases of a test, or of a class of tests."""
    yield from (item for item in items if item.nodeid == test or item.nodeid.startswith((f"{test}[", f"{test}::")))


def broken_functions(guard: Guard, loaded: list[FunctionType]) -> Iterator[tuple[FunctionType, CodeType]]:
    """Yield the loaded functions that the fault changes, with their broken code; none if it changes anything else."""
    path = ROOT / guard.file
    sound = path.read_text()
    if path.suffix != ".py" or sound.count(guard.sound) != 1:
        return
    before = compile(sound, str(path), "exec")
    after = compile(sound.replace(guard.sound, guard.broken), str(path), "exec")
    if _outside_functions(before) != _outside_functions(after):
        return
    sound_ones, broken_ones = _functions(before), _functions(after)
    changed = {name: codes for name, codes in broken_ones.items() if _forms(codes) != _forms(sound_ones.get(name, []))}
    if any(len(codes) > 1 for codes in changed.values()):
        return
    for function in loaded:
        if function.__code__.co_filename == str(path):
            for code in changed.get(function.__code__.co_qualname, []):
                if code.co_freevars == function.__code__.co_freevars:
                    yield function, code


def _functions(code: CodeType) -> dict[str, list[CodeType]]:
    """Return the functions in a module's code by name, also those in others, but no comprehensions."""
    found: dict[str, list[CodeType]] = defaultdict(list)
    for part in [each for each in code.co_consts if isinstance(each, CodeType)]:
        if part.co_flags & CO_OPTIMIZED and not part.co_name.endswith(("comp>", "genexpr>")):
            found[part.co_qualname].append(part)
        for name, codes in _functions(part).items():
            found[name] += codes
    return found


def _forms(codes: list[CodeType]) -> list[tuple[object, ...]]:
    return [_form(code) for code in codes]


def _form(code: CodeType) -> tuple[object, ...]:
    """Return what it does, wherever it stands."""
    inside = tuple(_form(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags, inside


def _outside_functions(code: CodeType) -> tuple[object, ...]:
    """Return what a module does when it is loaded, except the code of its functions."""
    inside = tuple(
        (each.co_qualname if each.co_flags & CO_OPTIMIZED else _outside_functions(each)) if isinstance(each, CodeType) else each
        for each in code.co_consts
    )
    return code.co_code, code.co_names, inside


def _tried(tests: list[pytest.Item], faults: list[tuple[FunctionType, CodeType]], begin: pytest.Item) -> int:
    """Run tests with these faults, in a fork that ends without what ends the run. Return how that ended."""
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status, inherited = OTHERWISE, list[Connection | None]()
    try:
        signal.alarm(SECONDS)
        inherited.extend(seed.connect() for seed in seeds)
        for function, code in faults:
            function.__code__ = code
        failed = next(
            (report for test in tests for report in runtestprotocol(test, log=False, nextitem=begin) if report.failed), None
        )
        if failed is None:
            status = PASSED
        elif failed.when == "call" and _said(failed).startswith(BY_ASSERTION):
            status = NOTICED
    finally:
        os._exit(status)


def _said(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message) if crash else ""
