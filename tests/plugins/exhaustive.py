"""Long sweeps: a run takes a sample of the cases of each test marked `exhaustive`, another one each time; `--exhaustive` all.

Of a folder's cases marked `@pytest.mark.exhaustive`, one in sixty-four runs. A sweep over many addresses is one test `in_parts`,
so that its cases can be sampled and shared among the workers. A test that makes up its own cases asks the fixture `exhaustive`
how many to make. What is asked of every page on the way of all journeys, `is_asked_here` of one in eight.
"""

import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import pytest

# Of a folder's cases one in so many is in the sample. The parts are as few as the shortest sweep has cases.
ONE_IN, PARTS = 64, 16
PAGES = 8
_run: dict[str, object] = {}
_asked = Counter[str]()
T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """One part of a sweep."""

    number: int

    def of(self, cases: Iterable[T]) -> list[T]:
        return list(cases)[self.number :: PARTS]

    def __str__(self) -> str:
        return f"part {self.number + 1} of {PARTS}"


def in_parts(test: Callable[..., None]) -> Callable[..., None]:
    """Cut a sweep into parts; each takes `part.of(cases)`."""
    parts = pytest.mark.parametrize("part", [Part(number) for number in range(PARTS)], ids=str)
    marked: Callable[..., None] = pytest.mark.exhaustive(parts(test))
    return marked


def is_asked_here() -> bool:
    """Whether the sample has a question that a test asks of each page on its way."""
    test = os.environ["PYTEST_CURRENT_TEST"]
    _asked[test] += 1
    return bool(_run["all"]) or _chance(f"{_run['seed']} {test} {_asked[test]}").randrange(PAGES) == 0


@pytest.fixture(scope="session")
def exhaustive(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--exhaustive"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--exhaustive", action="store_true", help="run all cases of the tests marked exhaustive")


def pytest_report_header(config: pytest.Config) -> str:
    return "sweeps: all cases" if config.getoption("--exhaustive") else "sweeps: a sample, chosen by the random seed"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _run.update(all=config.getoption("--exhaustive"), seed=config.getoption("randomly_seed", 0))
    if _run["all"]:
        return
    folders: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("exhaustive"):
            folders["/".join(item.nodeid.split("/")[:2])].append(item)
    left = {item for folder, cases in folders.items() for item in _left_out(cases, _chance(f"{_run['seed']} {folder}"))}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def _left_out(cases: list[pytest.Item], chance: random.Random) -> list[pytest.Item]:
    return chance.sample(cases, len(cases) - -(-len(cases) // ONE_IN))


def _chance(of: str) -> random.Random:
    return random.Random(of)  # noqa: S311 - to repeat a run
