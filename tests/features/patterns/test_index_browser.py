"""The pattern page in a real browser: nothing on the console, nothing that axe finds, and every behaviour of the scripts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from dashboard.team.models import Person
from tests.browser.console import Console
from tests.browser.live import MARKS, signed_in
from tests.browser.steps import accessible

pytestmark = MARKS


@pytest.fixture
def window(browser: Browser, live_server: LiveServer, ada: Person, served_static_files: None) -> Iterator[BrowserContext]:
    window = signed_in(browser, live_server, ada, viewport={"width": 1440, "height": 900})
    yield window
    window.close()


@pytest.fixture
def tab(window: BrowserContext, console: Console) -> Page:
    page = window.new_page()
    console.listen(page)
    page.goto("/patterns/")
    return page


@pytest.mark.exhaustive
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_everyone_can_use_it(tab: Page, theme: str, width: int) -> None:
    tab.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    tab.set_viewport_size({"width": width, "height": 844})
    tab.reload()
    accessible(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_dialog_takes_the_focus_and_gives_it_back(tab: Page) -> None:
    opener = tab.get_by_role("link", name="Confirm with a typed name")
    opener.click()
    dialog = tab.get_by_role("dialog", name="Delete photos?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    accessible(tab)
    tab.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()


def test_back_closes_an_open_dialog_and_leaves_the_page_only_after_it(tab: Page) -> None:
    tab.goto("/account/")
    tab.goto("/patterns/")
    opener = tab.get_by_role("link", name="Confirm with a typed name")
    dialog = tab.get_by_role("dialog", name="Delete photos?")
    tab.evaluate("window.same = true")
    opener.click()
    expect(dialog).to_be_visible()
    tab.go_back()
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    assert tab.evaluate("window.same"), "the page was left"
    opener.click()
    expect(dialog).to_be_visible()
    tab.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    tab.go_back()
    expect(tab).to_have_url(re.compile("/account/$"))


def test_a_page_loaded_anew_with_an_open_dialog_needs_no_second_back(tab: Page) -> None:
    tab.goto("/account/")
    tab.goto("/patterns/")
    tab.get_by_role("link", name="Confirm with a typed name").click()
    expect(tab.get_by_role("dialog", name="Delete photos?")).to_be_visible()
    tab.reload()
    tab.go_back()
    expect(tab).to_have_url(re.compile("/account/$"))


def test_the_button_waits_for_the_name_as_a_courtesy(tab: Page) -> None:
    tab.get_by_role("link", name="Confirm with a typed name").click()
    dialog = tab.get_by_role("dialog")
    delete = dialog.get_by_role("button", name="Delete photos")
    expect(delete).to_be_disabled()
    dialog.get_by_role("textbox").fill("Photos")
    expect(delete).to_be_disabled()
    dialog.get_by_role("textbox").fill("photos")
    delete.click()
    expect(dialog).to_be_hidden()
    expect(tab.locator("#notices").get_by_text("photos deleted.")).to_be_visible()


def test_a_refused_form_stays_open_at_the_field(tab: Page, console: Console) -> None:
    console.expect(422, "/patterns/form/")
    tab.get_by_role("link", name="Add thing").click()
    name = tab.get_by_role("dialog").get_by_label("Name")
    expect(name).to_be_focused()
    name.fill("taken")
    tab.keyboard.press("Enter")
    expect(tab.get_by_text("This name is taken. Choose another one.")).to_be_visible()
    expect(name).to_be_focused()
    expect(name).to_have_value("taken")


def test_success_closes_the_dialog_refreshes_the_list_and_says_so(tab: Page) -> None:
    tab.get_by_role("link", name="Add thing").click()
    tab.get_by_role("dialog").get_by_label("Name").fill("fresh")
    with tab.expect_response(lambda response: "/patterns/" in response.url and response.request.method == "GET"):
        tab.keyboard.press("Enter")
    expect(tab.locator("#notices").get_by_text("fresh added.")).to_be_visible()
    expect(tab.get_by_role("link", name="Add thing")).to_be_focused()


def test_equal_notices_merge_and_errors_stay(tab: Page, console: Console) -> None:
    tab.get_by_role("link", name="A part that fails").click()
    expect(tab.locator("#pattern-place").get_by_text("We tried to create the bucket.")).to_be_visible()
    for _ in range(2):
        tab.locator("#notices").evaluate("(list) => list.say('The service can\u2019t be reached', 'danger')")
    expect(tab.locator("#notices [data-times]")).to_have_text("\u00d7 2")
    tab.get_by_role("button", name="Copy reference").first.click()
    expect(tab.locator("#notices").get_by_text("Reference copied")).to_be_visible()
    expect(tab.locator("#notices").get_by_text("Reference copied")).to_be_hidden()
    expect(tab.locator("#notices").get_by_text("The service can\u2019t be reached")).to_be_visible()


def test_a_dialog_that_fails_shows_the_card(tab: Page, console: Console) -> None:
    tab.get_by_role("link", name="A dialog that fails").click()
    expect(tab.get_by_role("dialog", name="The service failed")).to_be_visible()


def test_copying_says_what_was_copied(tab: Page, window: BrowserContext) -> None:
    window.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.get_by_role("button", name="Copy reference").first.click()
    expect(tab.locator("#notices").get_by_text("Reference copied")).to_be_visible()
    assert tab.evaluate("navigator.clipboard.readText()") == "abcdefghijklmnopqrst"


def test_a_key_leads_to_the_search(tab: Page) -> None:
    tab.keyboard.press("/")
    field = tab.get_by_role("searchbox", name="Search things")
    expect(field).to_be_focused()
    field.fill("logo")
    expect(tab.get_by_role("link", name="readme.txt")).to_have_count(0)
    expect(tab).to_have_url(re.compile("q=logo"))


def test_sorting_is_in_the_address_and_back_works(tab: Page) -> None:
    tab.get_by_role("link", name="Name", exact=True).click()
    tab.wait_for_url("**/patterns/?sort=-name*")
    expect(tab.locator("#pattern-list tbody th").first).to_contain_text("東京タワー")
    tab.go_back()
    expect(tab.locator("#pattern-list tbody th").first).to_contain_text("backup")


def test_the_theme_changes_at_once_and_stays(tab: Page) -> None:
    tab.get_by_role("button", name="Your menu").click()
    with tab.expect_response("**/theme/"):
        tab.get_by_role("button", name="Dark").click()
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark")
    tab.reload()
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_menu_opens_beside_its_button_and_is_left_by_escape(tab: Page) -> None:
    button = tab.get_by_role("button", name="More for logo.png")
    button.click()
    menu = tab.locator(".menu:popover-open")
    expect(menu).to_be_visible()
    at, box = button.bounding_box(), menu.bounding_box()
    assert at is not None
    assert box is not None
    assert abs(box["x"] + box["width"] - at["x"] - at["width"]) < 2
    tab.keyboard.press("ArrowDown")
    expect(menu.get_by_role("link", name="Make a link")).to_be_focused()
    tab.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()


def test_a_secret_can_be_seen_while_it_is_typed(tab: Page) -> None:
    field = tab.locator("#id_well-token")
    field.fill("abc")
    assert field.get_attribute("type") == "password"
    tab.locator("button[aria-controls=id_well-token]").click()
    assert field.get_attribute("type") == "text"


def test_it_works_by_keyboard_from_the_first_key(tab: Page) -> None:
    tab.keyboard.press("Tab")
    expect(tab.get_by_role("link", name="Skip to the content")).to_be_focused()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"


def test_a_form_is_a_page_without_scripts(browser: Browser, window: BrowserContext, live_server: LiveServer) -> None:
    plain = browser.new_context(java_script_enabled=False, base_url=live_server.url)
    plain.add_cookies(window.cookies())  # type: ignore[arg-type] # what one context gives, the other takes
    tab = plain.new_page()
    tab.goto("/patterns/")
    copies = tab.locator("[data-copy], [data-copy-from]")
    assert copies.count() > 0
    assert not [copy for copy in copies.all() if copy.is_visible()], "they can't work"
    tab.goto("/patterns/confirm/named/")
    tab.get_by_role("textbox").fill("nothing")
    tab.get_by_role("button", name="Delete photos").click()
    expect(tab.get_by_text("Case matters")).to_be_visible()
    tab.get_by_role("textbox").fill("photos")
    tab.get_by_role("button", name="Delete photos").click()
    expect(tab.get_by_text("photos deleted.").first).to_be_visible()
    plain.close()
