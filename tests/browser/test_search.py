"""Searching a whole bucket: read it, narrow it, act on what was found; with the keyboard, on a phone, without script."""

import re
from urllib.parse import quote

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible, keep_scrolling

DESK: ViewportSize = {"width": 1280, "height": 800}
TABLET: ViewportSize = {"width": 1024, "height": 768}

WIDTHS = "cells => cells.map(cell => Math.round(cell.getBoundingClientRect().width))"


def read_all(page: Page, bucket: str) -> None:
    page.goto(f"{bucket}~search/")
    page.get_by_role("button", name="Count and make searchable").click()
    expect(page.locator("#search-state")).to_contain_text("As of", timeout=30_000)


def test_a_bucket_is_read_searched_and_cleared_of_what_matches(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.fill(bucket, "2024", [f"invoice {number:03}.pdf" for number in range(130)], size=2048)
    neighbour.fill(bucket, "photos", [f"image {number:02}.jpg" for number in range(20)], size=1 << 20)
    page.goto(f"{bucket}~search/")
    accessible(page)
    read_all(page, bucket)
    box = page.get_by_label(re.compile("Search in all of"))
    expect(page.locator("#search-count")).to_have_text("150 objects, 21.2 MB")
    expect(page.locator(".find__folder").first).to_contain_text("photos/")
    page.keyboard.press("/")
    box.press_sequentially("ext:pdf 00")
    expect(page.locator("#search-count")).to_have_text("11 objects, 22.5 KB")
    expect(page).to_have_url(re.compile(r"q=ext%3Apdf"))
    box.fill("size:huge")
    expect(page.locator("#search-problems")).to_contain_text("“huge” is not a size")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Extension").fill("pdf")
    page.get_by_role("button", name="Apply filters").click()
    expect(box).to_have_value("ext:pdf")
    expect(page.locator("#search-count")).to_have_text("130 objects, 266.2 KB")
    page.get_by_role("link", name=re.compile("^Size")).click()
    expect(page).to_have_url(re.compile("sort=-size"))
    keep_scrolling(page, 130)
    expect(page.locator(".more:visible")).to_have_count(0)
    page.get_by_label("Select invoice 000.pdf").check()
    accessible(page)
    page.get_by_label("All 130 matches").check()
    expect(page.locator("[data-selected]")).to_contain_text("All 130 matches: selected")
    page.get_by_role("link", name="invoice 001.pdf").click()
    expect(page).to_have_url(re.compile(re.escape("path=2024%2F&open=2024%2Finvoice%20001.pdf")))
    for is_dark, size in ((True, DESK), (False, TABLET), (False, PHONE)):
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.set_viewport_size(size)
        page.goto(f"{bucket}~search/?q={quote('ext:pdf')}")
        expect(page.locator("#search-count")).to_be_visible()
        accessible(page)
        # Heads stand above their columns, and names have most of the width.
        widths = [page.locator(f".find__table {row} > *").evaluate_all(WIDTHS) for row in ("thead tr", "tbody tr:first-child")]
        assert widths[0] == widths[1]
        assert sum(widths[0]) == page.locator(".find__table").evaluate("table => Math.round(table.offsetWidth)")
        assert widths[0][1] == max(widths[0])


def test_the_usage_of_a_bucket_appears_when_it_is_indexed_and_leads_into_folders(
    page: Page, bucket: str, neighbour: Neighbour
) -> None:
    neighbour.fill(bucket, "photos", ["image.jpg", "image 2.jpg"], size=1 << 20)
    neighbour.fill(bucket, "notes", ["note.txt"], size=1 << 20)
    page.goto(bucket)
    page.get_by_label(re.compile("^More for")).click()
    page.get_by_role("link", name="Usage").click()
    expect(page.locator(".usage__total")).to_contain_text("3.1 MB in 3", timeout=30_000)
    accessible(page)
    whole = page.url
    page.get_by_role("link", name="photos/").first.click()
    expect(page.locator(".usage__total")).to_contain_text("2.1 MB in 2")
    expect(page.locator("#usage-largest")).to_be_visible()
    for is_dark, size in ((True, DESK), (False, PHONE)):
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.set_viewport_size(size)
        page.goto(whole)
        accessible(page)
