"""A page drawn from last known data replaces itself, and sends nothing until then."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.launch.command import starting
from tests.launch.visitor import Visitor

REF = "ktmvqhzwrbnxpgaydcle"


def test_a_page_of_a_slow_service_is_shown_at_once_and_replaced_in_place(
    tmp_path: Path, browser: Browser, console: Console
) -> None:
    with starting(tmp_path / "data", PAGE_PATIENCE_MS="300") as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        neighbour = Neighbour(started)
        context = browser.new_context(base_url=started.address, viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": n, "value": v, "url": started.address} for n, v in owner.session.cookies.items()])
        page = context.new_page()
        console.listen(page)
        address = f"/projects/{REF}/secrets/draft/"
        page.goto(address)
        text = page.get_by_role("textbox").first
        expect(text).to_be_visible()
        expect(page.get_by_text("Reading…")).to_have_count(0)
        with neighbour.failing("M5", delay=4):
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
        context.close()
