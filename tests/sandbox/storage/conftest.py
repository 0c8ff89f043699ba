"""A separate sandbox for tests of its storage."""

import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.sandbox.storage.asking import Space

_numbers = count(1)


def open_space(folder: Path, *options: str) -> Space:
    sandbox = start_sandbox(folder, "--empty", *options)
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    with sqlite3.connect(folder / "sandbox.sqlite3") as database:
        (secret,) = database.execute("select jwt_secret from sandbox_project where ref = ?", [ref]).fetchone()
    database.close()
    return Space(sandbox.storage(ref), tokens["service"], tokens["anon"], secret, sandbox)


@pytest.fixture(scope="session")
def space() -> Iterator[Space]:
    opened = open_space(RUN_DIR / "stockroom")
    yield opened
    stop_sandbox(opened.sandbox)


@pytest.fixture
def fresh() -> str:
    """An unused bucket name."""
    return f"bucket-{next(_numbers)}"


@pytest.fixture
def bucket(space: Space, fresh: str) -> str:
    """A private bucket without limits."""
    return space.create(fresh)


@pytest.fixture
def public(space: Space, fresh: str) -> str:
    return space.create(f"public-{fresh}", public=True)
