"""Thumbnails of a list leave connections to what somebody clicks."""

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.neighbour import Neighbour
from tests.browser.steps import hold

PICTURES = 8
THUMBNAIL = re.compile("/~preview/thumbnail/")
LOADED = "(count) => [...document.querySelectorAll('.objects__picture')].filter((one) => one.naturalWidth > 0).length === count"


def test_slow_pictures_hold_two_connections_and_a_click_is_answered(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for number in range(PICTURES):
        picture = BytesIO()
        Image.new("RGB", (40, 30), (30 * number, 80, 120)).save(picture, "PNG")
        neighbour.put(bucket, f"{number}.png", picture.getvalue(), content_type="image/png")
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
