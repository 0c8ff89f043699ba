"""One form for what somebody may do at one project: on a desk, on a phone in the dark, and without scripts."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import PHONE, cookies_of, without_violations
from tests.browser.test_recipients import Counter
from tests.launch.command import Started
from tests.launch.visitor import Visitor

PROJECT = "parcel-tracking"


@pytest.fixture
def owner(pilothouse: Started, cookies: list[Any]) -> Iterator[Visitor]:
    """The owner, who gave their password at sign-in."""
    with Visitor(pilothouse.address) as visitor:
        visitor.sign_in("owner@localhost")
        yield visitor


@pytest.fixture
def nora(owner: Visitor) -> str:
    """The address of a colleague's page."""
    owner.submit(owner.get("/team/new/"), email="nora@example.org", name="Nora", role="operator")
    found = re.search(r'href="(/people/\d+/)"[^>]*>\s*Nora\b', owner.get("/people/").text)
    assert found
    return found[1]


@pytest.fixture
def come(open_page: NewPage, owner: Visitor) -> NewPage:
    def make(**options: Any) -> Page:
        page = open_page(**options)
        page.context.add_cookies(cookies_of(owner))
        return page

    return make


def rows(page: Page, count: int) -> list[str]:
    """So many places on a person's page, without past access: where, and what is allowed."""
    listed, found = page.locator(".person > .section .grant__terms"), []
    expect(listed.locator(".grant__places > li")).to_have_count(count)
    for terms in listed.all():
        acts = [act.split() for act in terms.locator(".grant__acts > li:not(.quiet)").all_text_contents()]
        assert all(act.pop() == "allowed" for act in acts)
        allowed = ", ".join(" ".join(act) for act in acts)
        found += [f"{place}: {allowed}" for place in terms.locator(".grant__places > li").all_inner_texts()]
    return found


def give(page: Page, nora: str) -> None:
    """Give one folder in five clicks, and a section beside it."""
    page.goto(nora)
    click = Counter()
    click(page.get_by_role("link", name="Give access"))
    click(page.get_by_role("dialog").get_by_role("link", name=PROJECT, exact=True))
    click(page.locator("summary").filter(has_text="handbook"))
    click(page.get_by_role("checkbox", name="handbook/procedures/"))
    without_violations(page)
    page.get_by_role("checkbox", name="Secrets", exact=True).check()
    click(page.get_by_role("button", name="Give access"))
    assert click.made <= 5
    expect(page.locator("#notices")).to_contain_text(f"Access to {PROJECT} given to Nora")
    assert rows(page, 2) == ["handbook/procedures/: View", "Secrets: View"]
    expect(page.get_by_role("link", name="Change the access of Nora")).to_have_count(1)
    without_violations(page)


def add_folder(page: Page) -> None:
    """Add a folder from its own menu: it leads to what Nora has, with the folder ticked."""
    page.goto("/storage/ktmvqhzwrbnxpgaydcle/handbook/")
    click = Counter()
    click(page.get_by_label("Actions drivers"))
    click(page.locator("#row-menu").get_by_role("button", name="Give access"))
    dialog = page.get_by_role("dialog")
    click(dialog.get_by_role("link", name="Nora"))
    expect(dialog.get_by_role("heading", name="Access of Nora")).to_be_visible()
    expect(dialog.get_by_role("checkbox", name="handbook/drivers/")).to_be_checked()
    dialog.locator("summary").filter(has_text="Browse").click()
    dialog.locator("summary").filter(has_text="handbook").click()
    expect(dialog.get_by_title("Listed above")).to_have_count(1)
    without_violations(page)
    click(dialog.get_by_role("button", name="Save access"))
    expect(page.locator("#notices")).to_contain_text("Access of Nora changed")
    assert click.made <= 5


def drop_sections(phone: Page, nora: str) -> None:
    """Untick the only section; the files stay."""
    phone.goto(nora)
    phone.get_by_role("link", name="Change the access of Nora").click()
    dialog = phone.get_by_role("dialog")
    dialog.get_by_role("checkbox", name="Secrets", exact=True).uncheck()
    dialog.get_by_label("Make share links").check()
    without_violations(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    dialog.get_by_role("button", name="Save access").click()
    expect(phone.locator("#notices")).to_contain_text("Access of Nora changed")
    assert rows(phone, 2) == ["handbook/drivers/: View, Share", "handbook/procedures/: View, Share"]
    without_violations(phone)


def type_folder_and_revoke(plain: Page, nora: str) -> None:
    """Refused when nothing is left; then another folder is typed, and all of it revoked."""
    plain.goto(nora)
    plain.get_by_role("link", name="Change the access of Nora").click()
    for folder in ("handbook/drivers/", "handbook/procedures/"):
        plain.get_by_label(folder).uncheck()
    plain.get_by_label("Make share links").uncheck()
    plain.get_by_role("button", name="Save access").click()
    expect(plain.get_by_role("alert")).to_have_text("Nothing is left ticked. To end this access, revoke it.")
    plain.get_by_label("Bucket or folder 1").fill("labels/")
    plain.get_by_role("button", name="Save access").click()
    assert rows(plain, 1) == ["labels/: View"]
    plain.get_by_role("link", name="Revoke the access of Nora").click()
    plain.get_by_role("button", name="Revoke access").click()
    expect(plain.get_by_text("Past access")).to_be_visible()


def test_files_and_sections_are_given_changed_and_revoked_in_one_form(come: NewPage, nora: str, console: Console) -> None:
    console.expect(422, r"/access/\d+/")
    page = come(viewport={"width": 1440, "height": 900})
    page.goto("/")
    expect(page.get_by_role("link", name=PROJECT, exact=True)).to_be_visible()
    give(page, nora)
    add_folder(page)
    drop_sections(come(viewport=PHONE, color_scheme="dark"), nora)
    type_folder_and_revoke(come(java_script_enabled=False), nora)
