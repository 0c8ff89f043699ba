""" "Show request" is folded and opens by keyboard; it and the first tokens are accessible."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.steps import accessible
from tests.features.test_calls import REF


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_request_of_a_form_is_folded_until_it_is_asked_for(open_page: NewPage, scheme: str) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page.goto(f"/storage/{REF}/")
    page.get_by_role("link", name="New bucket").first.click()
    dialog = page.get_by_role("dialog")
    curl = dialog.get_by_label("Request S1")
    expect(dialog.get_by_text("Show request")).to_be_visible()
    expect(curl).to_be_hidden()
    dialog.get_by_text("Show request").press("Enter")
    expect(curl).to_contain_text('curl -X POST "$STORAGE_URL"/bucket/')
    accessible(page)
    page.goto("/account/setup/")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
