"""Every page, dark on a phone and light at a desk: nothing is wider than the screen, axe finds nothing, the console is silent."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import accessible
from tests.features.test_calls import REF
from tests.launch.test_weight import addresses

pytestmark = pytest.mark.browser

DESK = {"width": 1440, "height": 900}
PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# No other journey counts the buckets of this one.
LAB = "/storage/xreugplnbwsqhdvfyakt/"
LONG = "a-bucket-with-a-name-that-is-as-long-as-the-service-allows-" + "x" * 41
PLACE = f"place={REF}"
OTHERS = (
    *("/access/new/", f"/access/new/?kind=storage&{PLACE}", f"/access/new/?kind=management&{PLACE}", "/access/confirmation/"),
    *("/account/name/", "/account/sign-in/", "/account/sign-in/app/new/", "/account/sign-in/passkeys/new/"),
    *("/account/sign-in/codes/", "/account/sign-in/devices/end/", "/account/password/change/", "/account/lock/"),
    *("/account/login/", "/account/password/reset/", "/account/password/reset/done/", "/account/password/reset/key/1-a/"),
    *("/links/requests/", "/notifications/?unread=1", "/projects/addresses/own/", "/search/", "/organizations/new/"),
    *(f"{LAB}{LONG}/", f"{LAB}~switch/", LAB, f"/storage/{REF}/handbook/~request/", "/patterns/", "/patterns/form/"),
)
# A list of cards that scrolls sideways. Code, tabs and tables of a file do so on purpose.
WIDE = """() => [...document.querySelectorAll(".list:has(> .table--cards)")]
  .filter((list) => list.checkVisibility() && list.scrollWidth > list.clientWidth).length"""


def is_page(page: Page, address: str) -> bool:
    """Whether it answers with a page, and not with a part of one or a file."""
    return "<main" in page.request.get(address).text()


@pytest.fixture(params=["dark on a phone", "light at a desk"])
def shown(request: pytest.FixtureRequest, open_page: NewPage) -> Page:
    """A page of the owner's, where a bucket has the longest name."""
    page = open_page(color_scheme="dark", **PHONE) if "phone" in request.param else open_page(color_scheme="light", viewport=DESK)
    if page.request.get(f"{LAB}{LONG}/").status == 404:
        page.goto(f"{LAB}~new/")
        page.locator("input[name=name]").fill(LONG)
        page.get_by_role("button", name="Create bucket").click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text("New bucket")
    return page


def test_every_page_fits_the_screen_and_is_accessible(shown: Page) -> None:
    width = shown.evaluate("innerWidth")
    too_wide: list[str] = []
    pages = 0
    for address in [*addresses(), *OTHERS]:
        if not is_page(shown, address):
            continue
        pages += 1
        shown.goto(address)
        shown.wait_for_load_state("networkidle")
        if shown.evaluate("document.documentElement.scrollWidth") > width or shown.evaluate(WIDE):
            too_wide.append(address)
        accessible(shown)
    assert too_wide == []
    assert pages > 80
