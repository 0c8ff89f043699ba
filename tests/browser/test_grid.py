"""The grid of a folder: pictures, keyboard, phone."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, accessible, new_bucket, pick, total, write

pytestmark = pytest.mark.browser

LOADED = "() => [...document.querySelectorAll('.objects__picture')].every((one) => one.complete && one.naturalWidth > 0)"


def photos(folder: Path) -> list[Path]:
    paths = [folder / f"{number}.png" for number in range(3)]
    for number, path in enumerate(paths):
        Image.new("RGB", (400, 300), (90 * number, 80, 120)).save(path)
    return [*paths, *write(folder, notes__txt="1")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", "viewport": PHONE}], ids=["desk", "phone"])
def test_a_grid_shows_pictures_in_every_look(open_page: NewPage, tmp_path: Path, options: dict[str, object]) -> None:
    page = open_page(**options)
    new_bucket(page)
    pick(page, *photos(tmp_path))
    total(page, "4 of 4 stored")
    page.get_by_role("link", name="Show as grid").click()
    expect(page.locator(".objects__picture")).to_have_count(3)
    page.wait_for_function(LOADED)
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") == page.evaluate("innerWidth")


def test_a_grid_is_walked_by_arrow_keys_and_kept_from_folder_to_folder(page: Page, bucket: str, tmp_path: Path) -> None:
    pick(page, *photos(tmp_path))
    total(page, "4 of 4 stored")
    page.goto(f"{bucket}?view=grid")
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
