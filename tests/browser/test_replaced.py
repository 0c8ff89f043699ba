"""What somebody asks of a part of a page that is being replaced."""

import re

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.steps import SPACE, expect_read, hold, make_older
from tests.launch.command import Started

FIELD = "Project or hostname"
SORTED = "th[aria-sort=ascending], th[aria-sort=descending]"


def is_part(request: Request) -> bool:
    return "hx-request" in request.headers


@pytest.fixture
def listed(page: Page) -> Page:
    """A page with a list that is up to date."""
    page.goto("/hostnames/")
    expect_read(page)
    return page


def test_what_is_asked_while_the_list_refreshes_is_answered(listed: Page) -> None:
    with hold(listed, re.compile("/hostnames/$"), only=is_part) as refreshing:
        listed.evaluate("htmx.trigger(document.body, 'projects:changed')")
        refreshing.next()
        with listed.expect_event("requestfailed"):
            listed.get_by_role("link", name="Project", exact=True).click()
        expect(listed.locator(SORTED)).to_have_text("Project")


def test_what_changes_before_an_answer_is_read_after_it(listed: Page) -> None:
    with hold(listed, re.compile("q=track"), only=is_part) as held:
        listed.get_by_label(FIELD).fill("track")
        asked = held.next()
        listed.evaluate("htmx.trigger(document.body, 'projects:changed')")
        asked.continue_()
        again = held.next()
        expect(listed.locator(".overview__row")).to_have_count(2)
        again.continue_()
    expect(listed.locator(".overview__row")).to_have_count(2)


def test_the_last_of_two_questions_is_answered(listed: Page) -> None:
    with hold(listed, re.compile("sort=name")) as held:
        listed.get_by_role("link", name="Project", exact=True).click()
        held.next()
        with listed.expect_event("requestfailed"):
            listed.get_by_role("link", name="State", exact=True).click()
        expect(listed.locator(SORTED)).to_have_text("State")
    assert "state" in listed.url


def test_the_answer_to_a_click_goes_to_the_list_that_replaced_the_clicked_one(listed: Page) -> None:
    with hold(listed, re.compile("sort=name")) as held:
        listed.get_by_role("link", name="Project", exact=True).click()
        asked = held.next()
        listed.evaluate("{ const list = document.getElementById('home-list'); list.outerHTML = list.outerHTML; }")
        asked.continue_()
        expect(listed.locator(SORTED)).to_have_text("Project")


def test_a_folder_that_is_opened_is_not_replaced_by_the_list_before_it(page: Page) -> None:
    page.goto(f"{SPACE}handbook/")
    with hold(page, re.compile("sort=-name")) as held:
        page.get_by_role("columnheader").get_by_role("link", name="Name").click()
        held.next()
        with page.expect_event("requestfailed"):
            page.get_by_role("link", name="procedures", exact=True).click()
        expect(page.get_by_role("link", name="damaged-parcels.md")).to_be_visible()
    assert page.url.endswith("?path=procedures%2F")


def test_what_is_typed_before_the_list_has_come_stays(listed: Page, pilothouse: Started) -> None:
    make_older(pilothouse.data / "pilothouse.sqlite3", minutes=10, with_list=True)
    with hold(listed, re.compile("/hostnames/$"), only=is_part) as held:
        listed.reload()
        held.next()
        with listed.expect_event("requestfailed"):
            listed.get_by_label(FIELD).fill("track")
        expect(listed.locator(".overview__row")).to_have_count(2)
    expect_read(listed)
    expect(listed.get_by_label(FIELD)).to_have_value("track")
    expect(listed.locator(".overview__row")).to_have_count(2)


def test_a_refresh_before_the_list_has_come_reads_all_rows(listed: Page, pilothouse: Started) -> None:
    make_older(pilothouse.data / "pilothouse.sqlite3", minutes=10, with_list=True)
    rows = listed.locator(".overview__row").count()
    with hold(listed, re.compile("/hostnames/$"), only=is_part) as held:
        listed.reload()
        held.next()
        with listed.expect_event("requestfailed"):
            listed.get_by_role("link", name="Refresh").click()
        asked = held.next()
        with hold(listed, re.compile("list=now"), only=is_part) as checks:
            asked.continue_()
            checks.next().continue_()
    expect(listed.locator("[data-turn]")).to_have_count(0)
    expect(listed.locator(".overview__row")).to_have_count(rows)


def test_a_dialog_that_was_closed_is_not_filled_any_more(page: Page) -> None:
    page.goto(f"{SPACE}handbook/")
    dialog = page.locator("dialog")
    page.get_by_role("checkbox", name="Select procedures").check()
    page.get_by_role("button", name="Move", exact=True).click()
    with hold(page, re.compile("to=welcome"), only=is_part) as held:
        dialog.get_by_role("button", name="welcome", exact=True).click()
        held.next()
        with page.expect_event("requestfailed"):
            page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
