"""The Chromium of all browser tests, started once per worker. Without one on PATH these tests are skipped with a message."""

import shutil
from typing import Any

import pytest
from playwright.sync_api import expect

# The headless one uses half as much processor time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for path in map(shutil.which, BROWSERS) if path), None)
MISSING = "There is no Chromium on PATH; `apt-get install chromium-headless-shell` brings one."
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

# Long enough for two busy processors. Tests that pass don't take longer because of it.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def chromium() -> str:
    if CHROMIUM is None:
        pytest.skip(MISSING)
    return CHROMIUM


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": chromium, "args": FLAGS.split()}
