"""Distribute a run among its workers (`-n auto`)."""

import gc
import os
import re
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.environment import ROOT

# Some mostly wait for browsers and processes, others compute: each worker gets both by turns.
WAITING = ("browser", "launch", "jobs")


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Use two workers per processor, since tests spend half of their time waiting for processes, sockets and time-outs."""
    processors = yield
    return processors if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * processors


def pytest_collection(session: pytest.Session) -> None:
    """Let each worker import its share of the modules first: compiling them, with readable assertions, takes 16 s of a processor.

    The others find them compiled. What can't be imported is told when it is collected.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        return
    paths = [Path(argument.partition("::")[0]).resolve() for argument in session.config.args]
    files = sorted({file for path in paths for file in (path.rglob("test_*.py") if path.is_dir() else [path])})
    for file in files[int(worker.removeprefix("gw")) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> "FilesAndParts":
    config.option.loadscopereorder = False
    return FilesAndParts(config, log)


class FilesAndParts(LoadFileScheduling):  # type: ignore[misc] # it has no types
    """Schedule a file as one unit of work; of a sweep in parts, each part."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if re.search(r"part \d+ of \d+", nodeid) else super()._split_scope(nodeid)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread slow files over the first four fifths, so that no worker starts a long one when the others are done."""
    files = list(dict.fromkeys(item.path for item in items))
    waiting = [file for file in files if file.relative_to(ROOT / "tests").parts[0] in WAITING]
    computing = [file for file in files if file not in waiting]
    places = {file: 0.8 * at / len(waiting) for at, file in enumerate(waiting)}
    places |= {file: at / len(computing) for at, file in enumerate(computing)}
    items.sort(key=lambda item: places[item.path])


def pytest_collection_finish() -> None:
    """Freeze loaded objects, so that the garbage collector need not look at them again."""
    gc.collect()
    gc.freeze()
