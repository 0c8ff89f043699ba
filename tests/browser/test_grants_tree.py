"""One form for what somebody may do at one project: on a desk, on a phone in the dark, and without scripts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.console import Console
from tests.browser.steps import PHONE, without_violations
from tests.browser.test_recipients import Counter
from tests.launch.command import Started, starting
from tests.launch.visitor import PASSWORD

pytestmark = pytest.mark.browser

PROJECT = "parcel-tracking"


@pytest.fixture
def started(tmp_path: Path, browser: Browser) -> Iterator[Started]:
    with starting(tmp_path / "data") as running:
        yield running.wait_until_ready()
        for context in browser.contexts:
            context.close()


def come(browser: Browser, started: Started, console: Console, **options: Any) -> Page:
    """Sign in as the owner, with the password that the link set."""
    context = browser.new_context(base_url=started.address, reduced_motion="reduce", **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    console.listen(page)
    page.goto("/account/login/")
    page.locator("[name=login]").fill("owner@localhost")
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    return page


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


def enter(browser: Browser, started: Started) -> Page:
    """Enter as the owner without scripts, and add a colleague."""
    assert started.link
    plain = browser.new_context(base_url=started.address, java_script_enabled=False).new_page()
    plain.goto(started.link)
    plain.locator("[name=password1]").fill(PASSWORD)
    plain.locator("[name=password2]").fill(PASSWORD)
    plain.get_by_role("button", name="Set password and sign in").click()
    expect(plain).to_have_url(f"{started.address}/")
    plain.goto("/team/new/")
    plain.locator("[name=password]").fill(PASSWORD)
    plain.get_by_role("button", name="Confirm").click()
    plain.locator("[name=email]").fill("nora@example.org")
    plain.locator("[name=name]").fill("Nora")
    plain.get_by_role("button", name="Add person").click()
    return plain


def give(page: Page) -> None:
    """Give one folder in five clicks, and a section beside it."""
    page.goto("/people/2/")
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


def drop_sections(phone: Page) -> None:
    """Untick the only section; the files stay."""
    phone.goto("/people/2/")
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


def type_folder_and_revoke(plain: Page) -> None:
    """Refused when nothing is left; then another folder is typed, and all of it revoked."""
    plain.goto("/people/2/")
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


def test_files_and_sections_are_given_changed_and_revoked_in_one_form(
    browser: Browser, started: Started, console: Console
) -> None:
    plain = enter(browser, started)
    page = come(browser, started, console, viewport={"width": 1440, "height": 900})
    expect(page.get_by_role("link", name=PROJECT, exact=True)).to_be_visible()
    give(page)
    add_folder(page)
    drop_sections(come(browser, started, console, viewport=PHONE, color_scheme="dark"))
    type_folder_and_revoke(plain)
