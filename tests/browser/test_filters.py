"""What somebody asks of a list that is being replaced."""

import re

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.steps import expect_read, hold, make_older
from tests.launch.command import Started

pytestmark = pytest.mark.browser

FIELD = "Project or hostname"
SORTED = "th[aria-sort=ascending], th[aria-sort=descending]"
BY_NAME, BY_STATE = re.compile("sort=name"), re.compile("sort=-?state")


def is_part(request: Request) -> bool:
    return "hx-request" in request.headers


def let_go(page: Page, held: Route) -> None:
    """Let a request go on, until its answer has come."""
    with page.expect_response(lambda answer: answer.request == held.request):
        held.continue_()


def mark(page: Page) -> None:
    """Make the list that is shown now known again."""
    page.evaluate("document.getElementById('home-list').dataset.before = ''")


@pytest.fixture
def listed(page: Page) -> Page:
    """A page with a list that is up to date."""
    page.goto("/hostnames/")
    expect_read(page)
    return page


def test_what_is_asked_while_the_list_refreshes_is_answered(listed: Page) -> None:
    with hold(listed, re.compile("/hostnames/$"), only=is_part) as refreshing:
        listed.evaluate("htmx.trigger(document.body, 'projects:changed')")
        refreshed = refreshing.next()
        with hold(listed, BY_NAME) as held:
            listed.get_by_role("link", name="Project", exact=True).click()
            asked = held.next()
            mark(listed)
            let_go(listed, refreshed)
            expect(listed.locator("[data-before]"), "what was asked before was dropped").to_have_count(1)
            asked.continue_()
            expect(listed.locator(SORTED)).to_have_text("Project")


def test_what_changes_before_an_answer_is_read_after_it(listed: Page) -> None:
    with hold(listed, re.compile("q=track"), only=is_part) as held:
        listed.get_by_label(FIELD).fill("track")
        asked = held.next()
        mark(listed)
        listed.evaluate("htmx.trigger(document.body, 'projects:changed')")
        listed.wait_for_timeout(100)
        expect(listed.locator("[data-before]")).to_have_count(1)
        asked.continue_()
        again = held.next()
        expect(listed.locator(".overview__row")).to_have_count(2)
        again.continue_()
    expect(listed.locator(".overview__row")).to_have_count(2)


def test_the_last_of_two_questions_is_answered(listed: Page) -> None:
    with hold(listed, BY_NAME) as first, hold(listed, BY_STATE) as second:
        listed.get_by_role("link", name="Project", exact=True).click()
        early = first.next()
        listed.get_by_role("link", name="State", exact=True).click()
        late = second.next()
        mark(listed)
        let_go(listed, early)
        expect(listed.locator("[data-before]")).to_have_count(1)
        late.continue_()
        expect(listed.locator(SORTED)).to_have_text("State")
    assert "state" in listed.url


def test_what_is_typed_before_the_list_has_come_stays(listed: Page, pilothouse: Started) -> None:
    page = listed
    make_older(pilothouse.data / "pilothouse.sqlite3", minutes=10, with_list=True)
    with hold(page, re.compile("/hostnames/$"), only=is_part) as held:
        page.reload()
        page.get_by_label(FIELD).fill("track")
        expect(page.locator(".overview__row")).to_have_count(2)
        let_go(page, held.next())
    expect_read(page)
    expect(page.get_by_label(FIELD)).to_have_value("track")
    expect(page.locator(".overview__row")).to_have_count(2)


def test_a_refresh_before_the_list_has_come_reads_all_rows(listed: Page, pilothouse: Started) -> None:
    make_older(pilothouse.data / "pilothouse.sqlite3", minutes=10, with_list=True)
    rows = listed.locator(".overview__row").count()
    with hold(listed, re.compile("/hostnames/$"), only=is_part) as held:
        listed.reload()
        reading = held.next()
        listed.get_by_role("link", name="Refresh").click()
        asked = held.next()
        let_go(listed, reading)
        with hold(listed, re.compile("list=now"), only=is_part) as checks:
            asked.continue_()
            checks.next().continue_()
    expect(listed.locator("[data-turn]")).to_have_count(0)
    expect(listed.locator(".overview__row")).to_have_count(rows)
