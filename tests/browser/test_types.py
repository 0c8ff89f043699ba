"""Types: generated into a page that is there at once, copied, saved, compared."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import accessible

HOME = "/projects/xreugplnbwsqhdvfyakt/types/"


def test_types_are_generated_copied_saved_and_compared(open_page: NewPage, console: Console, tmp_path: Path) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(HOME)
    accessible(page)
    page.get_by_label("Schemas").fill("public, auth")
    page.get_by_role("button", name="Generate types").click()
    expect(page.locator("#types-source")).to_contain_text("aal_level")
    accessible(page)

    page.get_by_role("button", name="Copy all").click()
    expect(page.locator("#notices")).to_contain_text("Types copied")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as database.types.ts").click()
    assert saved.value.suggested_filename == "database.types.ts"
    file = tmp_path / "database.types.ts"
    saved.value.save_as(file)
    assert page.evaluate("navigator.clipboard.readText()") == file.read_text()

    page.get_by_role("link", name="Compare a file").click()
    accessible(page)
    console.expect(422, "/types/check/")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_label("File of types")).to_be_focused()
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Your file is up to date")).to_be_visible()
    file.write_text(file.read_text().replace("weight_grams", "weight"))
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Your file differs")).to_be_visible()
    expect(page.locator(".difference__line--added", has_text="weight_grams").first).to_be_visible()
    accessible(page)


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_them_without_scrolling_sideways(open_page: NewPage, scheme: str) -> None:
    page = open_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    for address in (HOME, f"{HOME}?schemas=public", f"{HOME}check/", "/projects/xreugplnbwsqhdvfyakt/encryption/"):
        page.goto(address)
        if "schemas" in address:
            expect(page.locator("#types-source")).to_be_visible()
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
