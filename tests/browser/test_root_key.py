"""A careful person replaces the root key of a project."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible
from tests.launch.command import Started
from tests.launch.visitor import PASSWORD

REF = "xreugplnbwsqhdvfyakt"
HOME = f"/projects/{REF}/encryption/"
KEY = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.fixture
def page(browser: Browser, pilothouse: Started, cookies: list[Any], console: Console) -> Iterator[Page]:
    """In a session of its own: the gate changes the session's key. The password given at sign-in opens the gate."""
    context = browser.new_context(base_url=pilothouse.address, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    console.listen(page)
    page.goto("/account/login/")
    page.get_by_label("E-mail address").fill("owner@localhost")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("/")
    yield page
    context.close()


def fingerprint(page: Page) -> str:
    return page.locator(".fingerprint__text").text_content() or ""


def see_and_hide(page: Page) -> str:
    """The key, shown and hidden again, then copied without being shown."""
    page.get_by_role("button", name="Show key").click()
    key = page.get_by_label("Root key", exact=True).text_content() or ""
    assert KEY.fullmatch(key)
    accessible(page)
    expect(page.get_by_role("button", name="Hide key")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show key")).to_be_focused()
    assert key not in page.content()
    page.get_by_role("button", name="Copy without showing").click()
    expect(page.locator("#notices")).to_contain_text("Root key copied")
    assert page.evaluate("navigator.clipboard.readText()") == key
    page.get_by_role("button", name="Hide key").click()
    return key


def saved_key(page: Page, folder: Path) -> str:
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as text file").click()
    assert saved.value.suggested_filename == f"root-key-{REF}.txt"
    saved.value.save_as(folder / "key.txt")
    return (folder / "key.txt").read_text().splitlines()[-1]


def test_a_root_key_is_seen_saved_and_replaced(page: Page, console: Console, tmp_path: Path) -> None:
    page.goto(HOME)
    before = fingerprint(page)
    assert not KEY.search(page.content())
    accessible(page)
    old = see_and_hide(page)

    page.get_by_role("link", name="Replace the root key").click()
    accessible(page)
    assert saved_key(page, tmp_path) == old
    page.get_by_label("I saved the current key").check()
    page.get_by_label("Generate a random key").check()
    page.get_by_role("button", name="Review consequences").click()
    expect(page.locator(".head__lead")).to_contain_text("Step 2 of 2")
    accessible(page)
    assert not KEY.search(page.content())

    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_label("Type marlowe-lab to continue").fill(REF)
    page.get_by_role("button", name="Replace the root key").click()
    console.expect(422, "/encryption/replacement/[0-9a-f-]+/")
    expect(page.locator("main")).to_contain_text("This does not match marlowe-lab.")
    page.get_by_label("Type marlowe-lab to continue").fill("marlowe-lab")
    page.get_by_role("button", name="Replace the root key").click()
    expect(page.get_by_text("Root key replaced and verified")).to_be_visible()
    accessible(page)
    page.get_by_role("link", name="Check again").click()
    expect(page.get_by_text("Root key replaced and verified")).to_be_visible()
    page.get_by_role("link", name="Show root key").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Root key")
    assert fingerprint(page) != before


def test_a_replacement_that_is_carried_out_late_is_unknown_and_then_in_place(
    page: Page, console: Console, neighbour: Neighbour, tmp_path: Path
) -> None:
    page.goto(HOME)
    before = fingerprint(page)
    page.get_by_role("link", name="Replace the root key").click()
    saved_key(page, tmp_path)
    page.get_by_label("I saved the current key").check()
    page.get_by_label("Generate a random key").check()
    page.get_by_role("button", name="Review consequences").click()
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_label("Type marlowe-lab to continue").fill("marlowe-lab")
    with neighbour.failing("M21", late=True):
        page.get_by_role("button", name="Replace the root key").click()
        expect(page.get_by_text("Outcome unknown.")).to_be_visible()
        result = page.url
        accessible(page)
        page.get_by_role("link", name="Check now").last.click()
        expect(page.get_by_text("Outcome unknown.")).to_be_visible()
        page.goto(HOME)
        assert fingerprint(page) == before
        expect(page.get_by_role("link", name="Replace the root key")).to_have_count(0)
        expect(page.get_by_text("An earlier replacement is still being checked")).to_be_visible()
        accessible(page)
        page.get_by_role("region", name="Unknown outcomes").get_by_role("link", name="Check now").click()
        expect(page.locator("dialog")).to_contain_text("Still unknown.")
        accessible(page)
        page.locator("dialog").get_by_role("link", name=re.compile(r"^Entry \d+$")).click()
        expect(page.locator("main")).to_contain_text("We check until")
        entry = page.url
    page.goto(result)
    expect(page.get_by_text("Root key replaced and verified")).to_be_visible()
    accessible(page)
    page.goto(entry)
    expect(page.locator("main")).to_contain_text("Verified as done")
    accessible(page)
    page.goto(HOME)
    assert fingerprint(page) != before
    expect(page.get_by_role("link", name="Replace the root key")).to_be_visible()
