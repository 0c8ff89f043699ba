"""Journeys in a real Chromium against the real command. Without a Chromium on PATH they are skipped, and say so."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.console import Console, console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import new_bucket
from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor

# The one without windows of its own asks half of the processor.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for path in map(shutil.which, BROWSERS) if path), None)
MISSING = "There is no Chromium on PATH; `apt-get install chromium-headless-shell` brings one."
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

__all__ = ["console"]

NewPage = Callable[..., Page]

# Long enough for two busy processors; nothing is slower for it that goes well.
expect.set_options(timeout=20_000)


@pytest.fixture(autouse=True, scope="session")
def chromium() -> str:
    if CHROMIUM is None:
        pytest.skip(MISSING)
    return CHROMIUM


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": chromium, "args": FLAGS.split()}


@pytest.fixture(scope="session")
def pilothouse(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Started]:
    """One running Pilothouse with its sandbox, for every journey that does not need the very first start."""
    with starting(tmp_path_factory.mktemp("browser") / "data", PATTERNS="1") as started:
        yield started.wait_until_ready()


@pytest.fixture(scope="session")
def cookies(pilothouse: Started) -> list[Any]:
    """Those of the owner, signed in by the printed link."""
    assert pilothouse.link
    with Visitor(pilothouse.address) as visitor:
        visitor.enter_by(pilothouse.link)
        return [{"name": name, "value": value, "url": pilothouse.address} for name, value in visitor.session.cookies.items()]


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
    """What writes of unknown outcome touched, as long as they are being checked."""
    with closing(sqlite3.connect(started.data / "pilothouse.sqlite3", timeout=20)) as database:
        return [target for (target,) in database.execute("SELECT target FROM journal_entry WHERE check_until IS NOT NULL")]


@pytest.fixture
def page(open_page: NewPage) -> Page:
    return open_page(viewport={"width": 1280, "height": 800})


@pytest.fixture
def neighbour(pilothouse: Started) -> Neighbour:
    return Neighbour(pilothouse)


@pytest.fixture
def bucket(page: Page) -> str:
    """The address of a new bucket, open in `page`."""
    return new_bucket(page)
