"""The Chromium of all browser tests, started once per worker. Without one on PATH these tests are skipped with a message."""

import shutil
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Keyboard, Page, expect

# The headless one uses half as much processor time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for path in map(shutil.which, BROWSERS) if path), None)
MISSING = "There is no Chromium on PATH; `apt-get install chromium-headless-shell` brings one."
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

# A link works before the page's scripts run, but opens a page instead of a dialog, and nobody hears a key: no click, tap or key
# lands before they have run. Playwright tries again until a click does.
INPUT_WAITS = """
const unready = new CSSStyleSheet();
unready.replaceSync("html, html * { pointer-events: none !important; }");
document.adoptedStyleSheets.push(unready);
addEventListener("DOMContentLoaded", () => setTimeout(() => {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== unready);
  document.scriptsHaveRun = true;
}));
"""
SCRIPTS_HAVE_RUN = "() => document.scriptsHaveRun"

# Characters of a page that are told when a test fails.
MOST_SHOWN = 3_000

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


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Iterator[Browser]:
    """The browser, whose pages take input only once their scripts have run."""
    new_context, keyboard = browser.new_context, vars(Page)["keyboard"]
    waiting: list[BrowserContext] = []

    def patient(*, input_waits: bool = True, **options: Any) -> BrowserContext:
        context = new_context(**options)
        # Without scripts it would run too, but never end.
        if input_waits and options.get("java_script_enabled", True):
            context.add_init_script(INPUT_WAITS)
            waiting.append(context)
        return context

    def patient_keyboard(page: Page) -> Keyboard:
        if page.context in waiting:
            page.wait_for_function(SCRIPTS_HAVE_RUN)
        found: Keyboard = keyboard.fget(page)
        return found

    browser.new_context = patient  # type: ignore[method-assign] # fixtures and tests make contexts themselves
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Page, "keyboard", property(patient_keyboard))
        yield browser


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens a browser, before anybody chooses by this mark."""
    for item in items:
        if isinstance(item, pytest.Function) and "browser" in item.fixturenames:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say what every open page showed when its test failed: the failure may never come again."""
    report = yield
    opened = item.funcargs.get("browser")
    if report.failed and report.when == "call" and isinstance(opened, Browser):
        for context in opened.contexts:
            for page in context.pages:
                try:
                    shown = " ".join(page.locator("body").inner_text(timeout=2_000).split())
                except Error as error:
                    shown = error.message
                report.sections.append((f"page {page.url}", shown[:MOST_SHOWN]))
    return report
