"""A viewer sees what is there, and at each control that is refused which role it needs."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import accessible
from tests.launch.command import Started

REF = "xreugplnbwsqhdvfyakt"
TIP = "getComputedStyle(document.activeElement, '::after').content"


def set_role(pilothouse: Started, role: str) -> None:
    with closing(sqlite3.connect(pilothouse.data / "pilothouse.sqlite3", timeout=20)) as database, database:
        database.execute("UPDATE team_person SET role = ? WHERE email = 'owner@localhost'", (role,))


@pytest.fixture
def viewer(pilothouse: Started, bucket: str) -> Iterator[str]:
    """The owner, as a viewer for a while, with a bucket made before; its address."""
    set_role(pilothouse, "viewer")
    yield bucket
    set_role(pilothouse, "owner")


def test_a_viewer_reads_at_each_refused_control_which_role_it_needs(viewer: str, open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(f"/projects/{REF}/secrets/")
    add = page.get_by_role("link", name="Add secret").first
    expect(add).to_have_attribute("aria-disabled", "true")
    add.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(add).to_be_focused()
    assert page.evaluate(TIP) == '"Needs the operator role."'
    accessible(page)
    add.click(force=True)
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert page.url.endswith("/secrets/")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_an_empty_list_does_not_repeat_what_is_refused_above_it(viewer: str, page: Page) -> None:
    page.goto("/projects/mzdbtfkwulqoyxrhnegc/functions/")
    expect(page.get_by_text("No functions yet")).to_be_visible()
    expect(page.get_by_role("link", name="Deploy")).to_have_count(1)


def test_a_viewer_can_not_change_a_bucket_by_buttons_menus_or_keys(viewer: str, page: Page) -> None:
    page.goto(viewer)
    page.get_by_label(re.compile("^More for")).click()
    for name in ("Upload folder", "Request files", "Settings", "Empty bucket", "Delete bucket"):
        expect(page.get_by_role("link", name=name)).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Escape")
    for name in ("New folder", "Upload files"):
        expect(page.get_by_role("link", name=name)).to_have_attribute("aria-disabled", "true")
        page.get_by_role("link", name=name).click(force=True)
    page.keyboard.press("u")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("[data-uploads]")).to_have_count(0)
    deletion = page.locator("[data-row-menu] [data-row-act=delete]")
    expect(deletion).to_have_attribute("aria-disabled", "true")
    expect(deletion).to_have_attribute("data-tip", "Needs the operator role.")
    expect(page.locator("[data-row-menu] [data-row-act=view]")).not_to_have_attribute("aria-disabled", "true")
    accessible(page)
