"""Recipients on a phone, signed out, and how few clicks and taps it takes to share, send and revoke."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, drop, shared, total, write
from tests.launch.command import Started
from tests.viewer.test_pictures import pdf

PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# 0.8 seconds of 32 x 32 pixels, VP8.
FILM = base64.b64decode(
    "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwEAAAAAAANaEU2bdLlNu4tTq4QVSalmU6yBbk27i1OrhBZUrmtTrIGTTb"
    "uLU6uEH0O2dVOsgdRNu4xTq4QcU7trU6yCA0jsrgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrX"
    "sYMPQkBEiYREPKaYTYCGQ2hyb21lV0GGQ2hyb21lFlSua7yuuteBAXPFhz/9Kth2vFuDgQFV7oEBhoVWX1ZQOOCdsIEguoEgU8CBAVWwkFWxgQ"
    "FVuYECVbqBDVW7gQEfQ7Z1AQAAAAAAAmjngQCg36G0gQAAAHACAJ0BKiAAIAAFBwiFhYiZhIgbggJ08sZmYtgA/vIiX/0mz/+k2f/0mz5I8HxX"
    "wHWhpqak7oEBpZ8wAgCdASogACAACocIhYWImYSIOAIAB5DzycD+664AoMihqIEAZQDRAQAUEQAAGAAeV/QMAEEOAP7tzt4Nkim5H/ziX/0C/8"
    "BeYAB1oZimlu6BAaWRsQEAKhHAABgAGFgv9AAIcAD7gQCgxqGmgQDPANEBABQRAAAYAB5X9AwAQQ4A/vCbQ/84l/9Av/AXoeIwzrB1oZimlu6B"
    "AaWRsQEAKhHAABgAGFgv9AAIcAD7gWWgyKGogQEzANEBABQQ/AAYAB5X9AwAQQ4A/u4KZg2SKbkf/OJf/QL/wF5gAHWhmKaW7oEBpZGxAQAqEc"
    "AAGAAYWC/0AAhwAPuBz6DHoaaBAZkA0QEAFBD8ABgAHlf0DABBDgD+8LA3/ziX/0C/8Beh4jDOsHWhmKaW7oEBpZGxAQAqEcAAGAAYWC/0AAhw"
    "APuCATOgyaGogQH+ANEBABQQ/AAYAB5X9AwAQQ4A/u4KZg2SKbkf/OJf/QL/wF5gAHWhmKaW7oEBpZGxAQAqEcAAGAAYWC/0AAhwAPuCAZmgx6"
    "GmgQKLANEBABQQ/AAYAB5X9AwAQQ4A/vCwN/84l/9Av/AXoeIwzrB1oZimlu6BAaWRsQEAKhHAABgAGFgv9AAIcAD7ggH+oMmhqIEC8gDRAQAU"
    "EPQUYAB5X9AwAQQ4AP7uQx5ZnCvZf/z0z/7l/+tvUAB1oZimlu6BAaWRsQEAKhEAFGAAYWC/0AAhwAD7ggKLHFO7a427i7OBALeG94EB8YHU"
)


@pytest.fixture(params=["light", "dark"])
def outside(request: pytest.FixtureRequest, browser: Browser, pilothouse: Started, console: Console) -> Iterator[Page]:
    """Somebody who is not signed in, on a phone."""
    context = browser.new_context(base_url=pilothouse.address, color_scheme=request.param, **PHONE)
    context.set_default_timeout(20_000)
    page = context.new_page()
    console.listen(page)
    yield page
    context.close()


class Counter:
    """Clicks or taps, counted."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, target: Locator) -> None:
        target.click()
        self.made += 1


def is_phone_page(page: Page) -> None:
    """It fits, runs no script, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.scripts.length") == 0
    accessible(page)


@pytest.mark.exhaustive
def test_a_shared_pdf_and_a_video_open_on_a_phone_signed_out(page: Page, outside: Page, bucket: str, tmp_path: Path) -> None:
    folder = tmp_path / "fair"
    folder.mkdir()
    (folder / "plan.pdf").write_bytes(pdf(pages=2))
    (folder / "film.webm").write_bytes(FILM)
    write(folder, prices__csv="item,price\nvan,100\n", notes__md="# Bring\n\n- tables")
    (folder / "torn.png").write_bytes(b"torn")
    page.goto(bucket)
    drop(page, folder)
    total(page, "5 of 5 stored")
    outside.goto(shared(page, bucket, "key=fair/plan.pdf"))
    outside.wait_for_function("() => document.querySelector('.viewer__page')?.naturalWidth > 1000")
    is_phone_page(outside)
    outside.goto(shared(page, bucket, "key=fair/film.webm"))
    outside.wait_for_function("() => document.querySelector('video')?.videoWidth === 32")
    is_phone_page(outside)
    outside.goto(shared(page, bucket, "folder=fair/"))
    expect(outside.get_by_role("listitem")).to_have_count(5)
    outside.wait_for_function("() => document.querySelector('img.shared__icon')?.naturalWidth > 100")
    torn = outside.get_by_role("listitem").filter(has_text="torn.png").locator("img")
    assert torn.evaluate("image => getComputedStyle(image, '::before').content") == '"PNG" / ""'
    is_phone_page(outside)
    for name, shown in (("prices.csv", ".viewer__rows"), ("notes.md", ".viewer__prose h1, .viewer__prose h2")):
        outside.get_by_role("link", name=name, exact=True).click()
        expect(outside.locator(shown).first).to_be_visible()
        is_phone_page(outside)
        outside.get_by_role("link", name="fair/").click()


def test_from_home_a_link_is_sent_and_revoked_with_three_taps_each_on_a_phone(
    open_page: NewPage, bucket: str, neighbour: Neighbour
) -> None:
    neighbour.put(bucket, "offer.txt", b"1")
    phone = open_page(**PHONE, permissions=["clipboard-read", "clipboard-write"])
    address = shared(phone, bucket, "key=offer.txt")
    phone.goto("/")
    tap = Counter()
    tap(phone.get_by_role("link", name="Links", exact=True).last)
    row = phone.locator("#links tbody tr").filter(has_text="offer.txt").first
    tap(row.get_by_role("button", name="Copy link"))
    assert phone.evaluate("navigator.clipboard.readText()") == address
    assert tap.made <= 3
    accessible(phone)
    phone.goto("/")
    tap = Counter()
    tap(phone.get_by_role("link", name="Links", exact=True).last)
    tap(row.get_by_role("button", name="Revoke the link to offer.txt"))
    expect(phone.locator("#notices")).to_contain_text("Link to offer.txt revoked")
    assert tap.made <= 3
