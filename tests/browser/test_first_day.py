"""The first day of a stranger: from an empty folder to a link that opens in another browser."""

import hashlib
import re
from pathlib import Path

import requests
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.steps import accessible, drop, new_bucket, total, twelve_files
from tests.launch.command import starting
from tests.launch.visitor import PASSWORD

# Read often while the bars move: no bar may ever stand above its end, and one must be seen under way.
BARS = "() => [...document.querySelectorAll('upload-tray progress:not([hidden])')].map((bar) => [bar.value, bar.max])"


def watch_the_bars(page: Page) -> bool:
    """Whether a bar was seen between its ends."""
    seen = False
    while "12 of 12 stored" not in (page.locator("[data-part=total]").text_content() or ""):
        for value, most in page.evaluate(BARS):
            assert value <= most
            seen = seen or 0 < value < most
        page.wait_for_timeout(40)
    return seen


def fetched(address: str) -> str:
    """The digest of what a link gives, without any cookie."""
    digest = hashlib.sha256()
    with requests.get(address, stream=True, timeout=30) as answer:
        assert answer.status_code == 200
        for block in answer.iter_content(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def stored(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def test_a_dropped_folder_arrives_whole_and_a_link_to_it_opens_elsewhere(
    browser: Browser, console: Console, tmp_path: Path, exhaustive: bool
) -> None:
    files = twelve_files(tmp_path / "first day", large=200 if exhaustive else 16)
    assert sum(path.is_file() for path in files.rglob("*")) == 12
    with starting(tmp_path / "data") as started:
        link = started.wait_until_ready().link
        assert link
        context = browser.new_context(base_url=started.address, reduced_motion="reduce")
        page = context.new_page()
        console.listen(page)
        page.goto(link)
        for field in ("input[type=password]:focus", "input[type=password]:not(:focus)"):
            page.fill(field, PASSWORD)
        page.locator("main button[type=submit]").first.click()
        page.wait_for_url(f"{started.address}/")

        new_bucket(page)
        drop(page, files)
        total(page, "of 12 stored")
        assert watch_the_bars(page)
        page.get_by_role("link", name="first day").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("first day")
        accessible(page)

        page.get_by_role("link", name="picture.png", exact=True).click()
        expect(page.locator("[data-panel-title]")).to_be_focused()
        accessible(page)
        page.get_by_role("link", name="Share", exact=True).click()
        page.locator("dialog").get_by_role("link", name="Signed link").click()
        expect(page.get_by_role("group", name="When opened")).to_contain_text("Show in the browser")
        page.locator("dialog").get_by_role("button", name="Create link").click()
        expect(page.get_by_role("heading", name="1 link created")).to_be_visible()
        accessible(page)
        address = page.locator(".links__address").text_content() or ""
        page.get_by_role("button", name="Done").click()

        # Everything else by a selection, so that every byte of the twelve is compared, of all folders.
        links = {"picture.png": address}
        for folder in ("", "data/", "notes/"):
            page.goto(re.sub(r"\?.*", f"?path=first+day%2F{folder.replace('/', '%2F')}", page.url))
            for box in page.locator("input[name=key]").all():
                box.check()
            page.get_by_role("button", name="Share", exact=True).click()
            page.locator("dialog").get_by_role("link", name="Signed link").click()
            expect(page.get_by_role("group", name="When opened")).to_contain_text("Show in the browser")
            page.locator("dialog").get_by_role("button", name="Create link").click()
            expect(page.locator(".links__address").first).to_be_visible()
            for row in page.locator(".links__row").all():
                key = row.locator(".links__key").text_content() or ""
                links[key.removeprefix("first day/")] = row.locator(".links__address").text_content() or ""
            page.get_by_role("button", name="Done").click()
        assert len(links) == 12

        stranger = browser.new_context()
        shown = stranger.new_page().goto(address)
        assert shown
        assert shown.status == 200
        assert shown.body() == (files / "picture.png").read_bytes()
        stranger.close()
        for name, given in links.items():
            assert fetched(given) == stored(files / name), name
        context.close()
