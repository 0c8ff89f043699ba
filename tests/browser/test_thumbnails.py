"""Thumbnails of a list leave connections to what somebody clicks."""

import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.steps import hold, pick, total

pytestmark = pytest.mark.browser

PICTURES = 8
THUMBNAIL = re.compile("/~preview/thumbnail/")
LOADED = "(count) => [...document.querySelectorAll('.objects__picture')].filter((one) => one.naturalWidth > 0).length === count"


def test_slow_pictures_hold_two_connections_and_a_click_is_answered(page: Page, bucket: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.png" for number in range(PICTURES)]
    for number, path in enumerate(paths):
        Image.new("RGB", (40, 30), (30 * number, 80, 120)).save(path)
    pick(page, *paths)
    total(page, f"{PICTURES} of {PICTURES} stored")

    page.goto("about:blank")
    with hold(page, THUMBNAIL) as held:
        page.goto(bucket)
        page.get_by_role("link", name="5.png", exact=True).click()
        expect(page.locator("[data-panel-title]")).to_be_visible()
        first, second = held.next(), held.next()
        assert not held.routes, "the others would wait in the browser, and clicks behind them"
        # Each that comes, or can't be drawn, makes room for another.
        first.fulfill(status=204)
        second.continue_()
    page.wait_for_function(LOADED, arg=PICTURES - 1)
