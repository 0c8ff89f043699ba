"""The grid of a folder: pictures, keyboard, phone."""

from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible

LOADED = "() => [...document.querySelectorAll('.objects__picture')].every((one) => one.complete && one.naturalWidth > 0)"


@pytest.fixture
def photos(bucket: str, neighbour: Neighbour) -> str:
    """The address of a bucket with three pictures and a text."""
    for number in range(3):
        picture = BytesIO()
        Image.new("RGB", (400, 300), (90 * number, 80, 120)).save(picture, "PNG")
        neighbour.put(bucket, f"{number}.png", picture.getvalue(), content_type="image/png")
    neighbour.put(bucket, "notes.txt", b"1")
    return bucket


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", "viewport": PHONE}], ids=["desk", "phone"])
def test_a_grid_shows_pictures_in_every_look(open_page: NewPage, photos: str, options: dict[str, object]) -> None:
    page = open_page(**options)
    page.goto(photos)
    page.get_by_role("link", name="Show as grid").click()
    expect(page.locator(".objects__picture")).to_have_count(3)
    page.wait_for_function(LOADED)
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") == page.evaluate("innerWidth")


def test_a_grid_is_walked_by_arrow_keys_and_kept_from_folder_to_folder(page: Page, photos: str) -> None:
    page.goto(f"{photos}?view=grid")
    page.get_by_role("link", name="0.png", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("link", name="1.png", exact=True)).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[data-selected]")).to_contain_text("1 selected")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("link", name="0.png", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel-title]")).to_be_focused()
    assert "view=grid" in page.url
    page.keyboard.press("Escape")
    expect(page.locator("[data-panel]")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".selection")).to_be_hidden()
    page.get_by_role("link", name="Show as list").click()
    expect(page.locator(".objects__table--grid")).to_have_count(0)
    page.wait_for_function(LOADED)
