"""The command palette and the keys of every page."""

import re

from playwright.sync_api import Page, expect

from tests.browser.console import Console
from tests.browser.steps import accessible, hold
from tests.features.network.desk import STAGING, TRACKING


def test_the_palette_opens_anywhere_with_what_was_typed_meanwhile_and_the_first_entry_by_enter(page: Page) -> None:
    page.goto("/people/")
    with hold(page, "**/search/**") as held:
        page.keyboard.press("Control+k")
        page.keyboard.type("ghx")
        page.keyboard.press("Backspace")
        held.next().continue_()
    field = page.get_by_role("searchbox", name="Search projects, files, links, actions")
    expect(field).to_have_value("gh")
    page.keyboard.type("ost")
    expect(field).to_have_value("ghost")
    expect(page).to_have_url(re.compile("/people/$"))
    expect(field).to_be_focused()
    accessible(page)
    field.clear()
    field.press_sequentially("lift ban staging")
    expect(page.locator(".find__hit").first).to_have_text(re.compile("Lift a ban in parcel-tracking-staging"))
    accessible(page)
    field.press("Enter")
    expect(page).to_have_url(re.compile(f"/projects/{STAGING}/network/bans/$"))


def test_a_palette_that_does_not_come_leaves_the_keys_to_the_page(page: Page, console: Console) -> None:
    console.allow("error: Failed to load resource: net::ERR_FAILED")
    page.goto("/people/")
    page.route("**/search/**", lambda route: route.abort())
    page.keyboard.press("Control+k")
    expect(page.get_by_text("Pilothouse could not be reached.")).to_be_visible()
    page.unroute("**/search/**")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_closing_the_palette_gives_the_focus_back(page: Page) -> None:
    page.goto(f"/projects/{TRACKING}/secrets/")
    search = page.get_by_role("searchbox", name="Search names")
    page.keyboard.press("/")
    expect(search).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(search).to_be_focused()


def test_a_page_without_a_search_field_opens_the_palette_by_its_key(page: Page) -> None:
    page.goto("/account/")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search projects, files, links, actions")).to_be_focused()


def test_the_list_of_keys_is_complete_and_its_keys_work(page: Page) -> None:
    page.goto(f"/projects/{TRACKING}/secrets/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    rows = dialog.locator(".keys .facts__row")
    expect(rows.filter(has_text="Search and act")).to_be_visible()
    shown = dict(zip(rows.locator("dt").all_inner_texts(), rows.locator("dd").all_inner_texts(), strict=True))
    accessible(page)
    for link in page.locator(".rail__list [data-go]").all():
        assert shown[link.inner_text().strip()] == f"g {link.get_attribute('data-go')}"
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page).to_have_url(re.compile(f"/projects/{TRACKING}/functions/$"))
    page.keyboard.press("g")
    page.keyboard.press("g")
    expect(page.get_by_role("dialog", name="Switch project")).to_be_visible()
    assert shown["Switch project"] == "g g"


def test_keys_work_on_a_box_and_only_those_that_act_here_are_listed(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    box = dialog.get_by_role("switch", name="Single-key shortcuts")
    expect(box).to_be_visible()
    expect(dialog.get_by_text("Switch project")).to_have_count(0)
    page.goto(f"/storage/{TRACKING}/handbook/")
    page.get_by_role("checkbox", name="Select welcome").focus()
    page.keyboard.press("?")
    expect(box).to_be_visible()


def test_single_keys_can_be_switched_off_everywhere(page: Page) -> None:
    page.goto("/jobs/")
    page.keyboard.press("?")
    page.get_by_role("switch", name="Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page).to_have_url(re.compile("/jobs/$"))
