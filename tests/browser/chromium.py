"""The Chromium of every browser test, started once a worker. Without one on PATH these tests are skipped, and say so."""

import shutil
from typing import Any

import pytest
from playwright.sync_api import expect

# The one without windows of its own asks half of the processor.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for path in map(shutil.which, BROWSERS) if path), None)
MISSING = "There is no Chromium on PATH; `apt-get install chromium-headless-shell` brings one."
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

# Long enough for two busy processors; nothing is slower for it that goes well.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def chromium() -> str:
    if CHROMIUM is None:
        pytest.skip(MISSING)
    return CHROMIUM


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": chromium, "args": FLAGS.split()}
