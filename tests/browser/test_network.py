"""Somebody removes the range they sit in, is stopped until they consent, and comes back; bans are lifted by selection."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.steps import PHONE, accessible, expect_read
from tests.features.network.desk import HOME, STAGING, TRACKING
from tests.launch.command import Started, starting

RESTRICTIONS = f"/projects/{TRACKING}/network/restrictions/"
BANS = f"/projects/{TRACKING}/network/bans/"
# The sandbox puts a list in force after a few seconds.
SETTLED = 20_000


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Started]:
    """One Pilothouse behind a proxy that tells where people come from."""
    with starting(tmp_path_factory.mktemp("network") / "data", TRUSTED_PROXIES="1") as running:
        yield running.wait_until_ready()


@pytest.fixture(scope="module")
def desk(browser: Browser, started: Started) -> Iterator[Page]:
    """The owner at the address HOME, signed in by the printed link, which works once."""
    context = browser.new_context(base_url=started.address, reduced_motion="reduce", extra_http_headers={"X-Forwarded-For": HOME})
    context.set_default_timeout(20_000)
    page = context.new_page()
    assert started.link
    page.goto(started.link)
    for field in page.locator("input[type=password]").all():
        field.fill("correct horse battery staple")
    page.locator("main button[type=submit]").first.click()
    yield page
    context.close()


@pytest.fixture
def page(desk: Page, console: Console) -> Page:
    console.listen(desk)
    return desk


def test_removing_ones_own_range_is_stopped_until_consented_and_the_list_restored(page: Page, console: Console) -> None:
    console.expect(422, "/network/restrictions/review/[0-9a-f-]+/")
    page.goto(RESTRICTIONS)
    expect(page.get_by_text(f"Your address {HOME} is allowed by 203.0.113.0/24")).to_be_visible()
    accessible(page)
    editor = page.get_by_label("Ranges", exact=True)
    editor.fill("198.51.100.17/32  # office\n10.0.0.0/8\n2001:db8:4f::/48")
    expect(page.locator("#lint")).to_contain_text("Line 2 10.0.0.0/8 Private addresses aren't supported")
    editor.fill("198.51.100.17/32  # office\n2001:db8:4f::/48")
    expect(page.locator("#lint")).to_contain_text("1 IPv4 range (1 address) and 1 IPv6 range may reach the database.")
    expect(page.locator("#lint")).to_contain_text("not allowed")
    accessible(page)

    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review")
    expect(page.locator(".plan__you")).to_contain_text("allowed")
    expect(page.locator(".plan__you")).to_contain_text("not allowed")
    expect(page.locator(".consent")).to_contain_text(f"Your own address {HOME} will be locked out.")
    accessible(page)

    page.get_by_role("button", name="Apply 2 ranges").click()
    expect(page.get_by_text("Nothing was changed.")).to_be_visible()
    page.get_by_label("Type parcel-tracking to continue").fill("parcel-tracking")
    page.get_by_role("button", name="Apply 2 ranges").click()

    state = page.locator("#restriction-state")
    expect(state).to_contain_text("Saved, not in force")
    expect(state).to_contain_text("In force now")
    expect(state).to_contain_text(f"Your address {HOME} is not allowed", timeout=SETTLED)
    expect(state).not_to_contain_text("Saved, not in force")
    expect(editor).to_have_value("198.51.100.17/32  # office\n2001:db8:4f::/48")

    page.get_by_role("listitem").filter(has_text="found on the service").get_by_role("button").click()
    expect(page.locator(".consent")).to_have_count(0)
    page.get_by_role("button", name="Apply 3 ranges").click()
    expect(state).to_contain_text(f"Your address {HOME} is allowed by 203.0.113.0/24", timeout=SETTLED)


def test_a_poll_ends_when_there_is_nothing_to_wait_for(page: Page) -> None:
    page.goto(RESTRICTIONS)
    expect(page.locator("#restriction-state")).to_contain_text("In force")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/state/" in request.url else None)
    page.wait_for_timeout(3_500)
    assert asked == []


def test_selected_bans_are_lifted_by_keyboard_and_mouse(page: Page) -> None:
    page.goto(BANS)
    expect(page.get_by_text(f"Your address {HOME} is not banned.")).to_be_visible()
    bar = page.get_by_role("region", name="Selection")
    expect(bar).to_be_hidden()
    page.get_by_label("Select 203.0.113.10").focus()
    page.keyboard.press("Space")
    page.get_by_label("Select 2001:db8:4f::7").check()
    expect(bar).to_contain_text("2 selected")
    accessible(page)
    bar.get_by_role("button", name="Lift selected bans").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Addresses")).to_have_value("203.0.113.10\n2001:db8:4f::7")
    accessible(page)
    dialog.get_by_role("button", name="Lift 2 bans").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#notices")).to_contain_text("Lifted 2 bans")
    expect(page.locator("#ban-list")).to_contain_text("1 banned address")


def test_an_address_is_found_over_all_projects(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Network", exact=True).click()
    expect(page.get_by_role("link", name="Network", exact=True)).to_have_attribute("aria-current", "page")
    page.get_by_label("Find an address").fill("192.0.2.146")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("address=192.0.2.146"))
    expect_read(page)
    expect(page.get_by_role("link", name="Lift ban of parcel-tracking-staging")).to_be_visible()
    expect(page.get_by_role("link", name="Lift ban of")).to_have_count(1)
    expect(page.get_by_role("link", name="1 bans it")).to_be_visible()
    accessible(page)


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_everyone_can_use_it(page: Page, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 844})
    for address in (BANS, "/?view=network&address=192.0.2.146", RESTRICTIONS):
        page.goto(address)
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_a_word_beside_the_box_selects_every_ban(desk: Page, console: Console) -> None:
    phone = desk.context.new_page()
    console.listen(phone)
    phone.set_viewport_size(PHONE)
    phone.goto(f"/projects/{STAGING}/network/bans/")
    phone.get_by_text("Select every address").click()
    expect(phone.get_by_role("checkbox", name="Select 192.0.2.146")).to_be_checked()
    accessible(phone)
    phone.close()
