"""Pages and parts that the service didn't answer come without a click, and what is drawn from last known data sends nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import cookies_of, top
from tests.launch.command import starting
from tests.launch.visitor import Visitor

REF = "ktmvqhzwrbnxpgaydcle"
# Tells what became of the first retry of an error card.
WATCH = """
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.matches(".problem")) setTimeout(() => (window.retried ??= event.defaultPrevented ? "prevented" : "sent"));
});
"""


@dataclass(frozen=True, slots=True)
class Desk:
    """A page of somebody signed in, and the service beside it."""

    page: Page
    neighbour: Neighbour


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Desk]:
    data = tmp_path_factory.mktemp("remembered") / "data"
    with starting(data, PAGE_PATIENCE_MS="300") as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        context = browser.new_context(base_url=started.address, viewport={"width": 1280, "height": 800})
        context.add_cookies(cookies_of(owner))
        yield Desk(context.new_page(), Neighbour(started))
        context.close()


def test_a_page_of_a_slow_service_is_shown_at_once_and_replaced_in_place(desk: Desk, console: Console) -> None:
    page = desk.page
    console.listen(page)
    address = f"/projects/{REF}/secrets/draft/"
    page.goto(address)
    text = page.get_by_role("textbox").first
    expect(text).to_be_visible()
    expect(page.get_by_text("Reading…")).to_have_count(0)
    with desk.neighbour.failing("M5", delay=4):
        page.goto(address)
        expect(page.get_by_text("Reading…")).to_be_visible()
        assert page.locator("#main form[method=post] button[type=submit]:enabled").count() == 0
    expect(page.get_by_text("Reading…")).to_have_count(0, timeout=20_000)
    expect(page.locator("[data-remembered]")).to_have_count(0)
    expect(page.locator("#main form[method=post] button[type=submit]:enabled").first).to_be_visible()
    assert page.url.endswith(address)
    text.fill("A_NEW_NAME=1")
    page.get_by_role("button", name="Review").first.click()
    expect(page.get_by_text("A_NEW_NAME").first).to_be_visible(timeout=20_000)


def test_what_is_asked_of_a_remembered_page_holds_when_it_is_replaced(desk: Desk, console: Console) -> None:
    page = desk.page
    console.listen(page)
    address = f"/storage/{REF}/"
    page.goto(address)
    expect(page.get_by_text("Reading…")).to_have_count(0)
    title = top(page, "h1")
    with desk.neighbour.failing("S2", delay=4):
        page.goto(address)
        expect(page.get_by_text("Reading…")).to_be_visible()
        assert top(page, "h1") == title, "the line takes no height"
        page.locator("main").get_by_role("searchbox").fill("hand")
        expect(page.locator("#bucket-list tbody tr")).to_have_count(1)
        expect(page.locator(".last-known")).to_have_count(0, timeout=20_000)
    expect(page.locator("main").get_by_role("searchbox")).to_have_value("hand")
    expect(page.locator("#bucket-list tbody tr")).to_have_count(1)
    assert top(page, "h1") == title


def test_what_is_typed_into_a_remembered_form_is_in_the_form_that_replaces_it(desk: Desk, console: Console) -> None:
    page = desk.page
    console.listen(page)
    for address, typed in ((f"/projects/{REF}/secrets/new/", "a value"), (f"/projects/{REF}/secrets/draft/", "A=1\nB=2")):
        text = page.locator("#main textarea").first
        page.goto(address)
        with desk.neighbour.failing("M5", delay=4):
            page.goto(address)
            expect(page.get_by_text("Reading…")).to_be_visible()
            text.press_sequentially(typed)
            expect(page.locator(".last-known")).to_have_count(0, timeout=20_000)
        expect(text).to_have_value(typed)
        text.fill("")


def test_what_is_ticked_in_a_remembered_form_is_ticked_in_the_form_that_replaces_it(desk: Desk, console: Console) -> None:
    page = desk.page
    console.listen(page)
    address = f"/projects/{REF}/functions/track-parcel/settings/"
    page.goto(address)
    box = page.get_by_label("Require a JWT")
    was = box.is_checked()
    with desk.neighbour.failing("M11", delay=4):
        page.goto(address)
        expect(page.get_by_text("Reading…")).to_be_visible()
        page.locator("label", has_text="Require a JWT").click()
        expect(page.locator(".last-known")).to_have_count(0, timeout=20_000)
    expect(box).to_be_checked(checked=not was)


def test_a_page_and_a_part_with_nothing_known_come_once_the_service_answers(desk: Desk, console: Console) -> None:
    page = desk.page
    console.listen(page)
    address = f"/storage/{REF}/labels/"  # no other test of this file reads it: what it holds isn't known yet
    desk.neighbour.put(address, "unread/lease.txt", b"...")
    with desk.neighbour.failing("S13", status=429, retry_after=2):
        page.goto(address)
        expect(page.locator("#main").get_by_text("Next try in")).to_be_visible()
    expect(page.locator("#objects tr", has_text="unread")).to_be_visible(timeout=20_000)
    with desk.neighbour.failing("S13", status=429, retry_after=2):
        page.locator("#objects").get_by_role("link", name="unread").click()
        expect(page.locator("#objects").get_by_text("Next try in")).to_be_visible()
    row = page.locator("#objects tr", has_text="lease.txt")
    expect(row).to_be_visible(timeout=20_000)
    row.get_by_role("checkbox").check()
    expect(page.get_by_text("1 selected")).to_be_visible()


def test_a_panel_that_stays_closed_is_not_retried(desk: Desk, console: Console) -> None:
    page = desk.page
    console.listen(page)
    page.goto(f"/storage/{REF}/handbook/?path=procedures/")
    page.evaluate(WATCH)
    panel = page.locator("#objects-details")
    with desk.neighbour.failing("S19", status=429, retry_after=1):
        page.locator("#objects").get_by_role("link", name="damaged-parcels.md").click()
        expect(panel.get_by_text("Next try in")).to_have_count(1)
    page.wait_for_function("() => window.retried")
    assert page.evaluate("window.retried") == "prevented"
    expect(panel).to_be_hidden()
