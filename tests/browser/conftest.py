"""Journeys in a real Chromium against the real command."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.console import Console, console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, cookies_of
from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor

__all__ = ["console"]

NewPage = Callable[..., Page]


@pytest.fixture(autouse=True, scope="session")
def needs_chromium(chromium: str) -> None:
    """Skip the tests in this folder if there is no Chromium."""


@pytest.fixture(scope="session")
def pilothouse(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Started]:
    """One running Pilothouse with its sandbox, for all journeys that don't need a first start."""
    with starting(tmp_path_factory.mktemp("browser") / "data", PATTERNS="1") as started:
        yield started.wait_until_ready()


@pytest.fixture(scope="session")
def cookies(pilothouse: Started) -> list[Any]:
    """The cookies of the owner, signed in by the printed link, who has a name: sharing asks for one."""
    assert pilothouse.link
    with Visitor(pilothouse.address) as visitor:
        visitor.enter_by(pilothouse.link)
        visitor.submit(visitor.get("/account/name/"), name="Olga")
        return cookies_of(visitor)


@pytest.fixture
def open_page(browser: Browser, pilothouse: Started, cookies: list[Any], console: Console) -> Iterator[NewPage]:
    """Pages of the signed-in owner: `open_page(color_scheme="dark", viewport={…})`."""
    contexts: list[BrowserContext] = []

    def make(**options: Any) -> Page:
        context = browser.new_context(base_url=pilothouse.address, reduced_motion="reduce", **options)
        contexts.append(context)
        context.add_cookies(cookies)
        context.set_default_timeout(20_000)
        page = context.new_page()
        console.listen(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not being_checked(pilothouse), "the pages of later tests would show that these writes are being checked"


def being_checked(started: Started) -> list[str]:
    """Return what writes of unknown outcome touched, while they are being checked."""
    with closing(sqlite3.connect(started.data / "pilothouse.sqlite3", timeout=20)) as database:
        return [target for (target,) in database.execute("SELECT target FROM journal_entry WHERE check_until IS NOT NULL")]


@pytest.fixture
def page(open_page: NewPage) -> Page:
    return open_page(viewport={"width": 1280, "height": 800})


@pytest.fixture
def outside(browser: Browser, pilothouse: Started, console: Console) -> Iterator[Page]:
    """Somebody who is not signed in, on a phone, in the dark."""
    context = browser.new_context(base_url=pilothouse.address, viewport=PHONE, color_scheme="dark")
    context.set_default_timeout(20_000)
    page = context.new_page()
    console.listen(page)
    yield page
    context.close()


@pytest.fixture
def neighbour(pilothouse: Started) -> Neighbour:
    return Neighbour(pilothouse)


@pytest.fixture
def bucket(neighbour: Neighbour) -> str:
    """The address of a new bucket in the first project."""
    return neighbour.bucket()
