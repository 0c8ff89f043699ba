"""What is typed into the filter of a list that is being replaced."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import expect_read, hold
from tests.launch.command import Started

pytestmark = pytest.mark.browser

FIELD = "Project or hostname"


def forget_when_it_was_listed(started: Started) -> None:
    """Let the list of projects be an hour old, so that the next page reads it again."""
    with closing(sqlite3.connect(started.data / "pilothouse.sqlite3", timeout=20)) as database, database:
        old = datetime.now(UTC) - timedelta(hours=1)
        database.execute("UPDATE tokens_lastknown SET read_at = ? WHERE operation = 'M1'", [f"{old:%Y-%m-%d %H:%M:%S}"])


def test_what_is_asked_while_the_list_refreshes_is_answered(page: Page) -> None:
    page.goto("/hostnames/")
    expect_read(page)
    with hold(page, re.compile("q=track")) as held:
        page.get_by_label(FIELD).fill("track")
        asked = held.next()
        page.evaluate("document.getElementById('home-list').dataset.before = ''")
        page.evaluate("htmx.trigger(document.body, 'projects:changed')")
        expect(page.locator("[data-before]")).to_have_count(0)
        asked.continue_()
    expect(page.locator(".overview__row")).to_have_count(2)


def test_what_is_typed_before_the_list_has_come_stays(page: Page, pilothouse: Started) -> None:
    page.goto("/hostnames/")
    expect_read(page)
    forget_when_it_was_listed(pilothouse)
    with hold(page, re.compile("/hostnames/$"), only=lambda request: "hx-request" in request.headers) as held:
        page.reload()
        page.get_by_label(FIELD).fill("track")
        expect(page.locator(".overview__row")).to_have_count(2)
        asked = held.next()
        with page.expect_response(lambda answer: answer.request == asked.request):
            asked.continue_()
    expect_read(page)
    expect(page.get_by_label(FIELD)).to_have_value("track")
    expect(page.locator(".overview__row")).to_have_count(2)
