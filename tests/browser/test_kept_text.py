"""Typed work stays in the browser until it is accepted: through clicks elsewhere, reloads and the end of a session."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import accessible, cookies_of, hold
from tests.features.test_calls import REF
from tests.launch.command import Started
from tests.launch.visitor import PASSWORD, Visitor, invited

LIST = f"/projects/{REF}/network/restrictions/"
NOTE = "/patterns/form/"
KEPT = "() => Object.keys(localStorage).filter((key) => key.startsWith('kept:')).length"

Enter = Callable[..., Page]


@pytest.fixture
def enter(open_page: NewPage, pilothouse: Started) -> Enter:
    """A browser whose session is its own, so that it may end."""

    def make(visitor: Visitor) -> Page:
        page = open_page(viewport={"width": 1280, "height": 800})
        page.context.clear_cookies()
        page.context.add_cookies(cookies_of(visitor))
        return page

    return make


@pytest.fixture
def mine(enter: Enter, pilothouse: Started) -> Page:
    with Visitor(pilothouse.address) as owner:
        owner.sign_in("owner@localhost")
        return enter(owner)


def ranges(page: Page) -> str:
    """Add a range to the list; what the field then holds."""
    page.goto(LIST)
    field = page.get_by_label("Ranges", exact=True)
    field.press("ControlOrMeta+End")
    field.press_sequentially("\n192.0.2.77/32 # typed\n")
    expect(page.locator("#lint")).to_contain_text("1 added")
    return field.input_value()


def restored(page: Page) -> None:
    expect(page.locator("kept-text")).to_have_text(re.compile(r"Restored what you typed at \d\d:\d\d\s+Discard"))


def sign_in(page: Page, email: str) -> None:
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page) -> None:
    page.goto("/account/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()


def test_a_typed_list_survives_a_click_elsewhere_and_a_reload_and_can_be_discarded(page: Page) -> None:
    typed = ranges(page)
    page.get_by_role("link", name="Secrets").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Secrets")
    page.goto(LIST)
    field = page.get_by_label("Ranges", exact=True)
    restored(page)
    expect(field).to_have_value(typed)
    expect(page.locator("#lint")).to_contain_text("1 added")
    accessible(page)
    page.reload()
    expect(field).to_have_value(typed)
    page.get_by_role("button", name="Discard").click()
    expect(field).to_have_value(typed.removesuffix("\n192.0.2.77/32 # typed\n"))
    expect(page.locator("kept-text")).to_be_hidden()
    page.reload()
    expect(page.locator("kept-text")).to_be_hidden()
    assert page.evaluate(KEPT) == 0


def test_an_accepted_text_is_not_restored(page: Page) -> None:
    ranges(page)
    page.get_by_role("button", name="Review changes").click()
    page.wait_for_url("**/review/**")
    page.goto(LIST)
    expect(page.locator("kept-text")).to_have_attribute("key", re.compile("[0-9a-f]{16}"))
    expect(page.get_by_label("Ranges", exact=True)).not_to_have_value(re.compile("192.0.2.77/32"))
    assert page.evaluate(KEPT) == 0


def test_a_refused_text_is_kept(page: Page, console: Console) -> None:
    console.expect(422, f"{LIST}review/|/network/restrictions/[a-z]+/")
    page.goto(LIST)
    field = page.get_by_label("Ranges", exact=True)
    field.fill("nonsense")
    page.get_by_role("button", name="Review changes").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    page.goto(LIST)
    restored(page)
    expect(field).to_have_value("nonsense")
    page.get_by_role("button", name="Discard").click()


def test_what_is_typed_before_the_script_comes_is_kept(page: Page) -> None:
    with hold(page, re.compile(r"/js/typing\b")) as held:
        typed = ranges(page)
        assert page.evaluate(KEPT) == 0
        held.next().continue_()
        page.wait_for_function("() => customElements.get('kept-text')")
        assert page.evaluate(KEPT) == 1
        page.goto(LIST)
        again = held.next()
        page.wait_for_timeout(100)
        again.continue_()
    restored(page)
    expect(page.get_by_label("Ranges", exact=True)).to_have_value(typed)


def test_after_the_session_ended_the_text_is_there_again(mine: Page) -> None:
    typed = ranges(mine)
    mine.context.clear_cookies(name="pilothouse_session")
    mine.get_by_role("button", name="Review changes").click()
    mine.wait_for_url("**/account/login/**")
    expect(mine.get_by_text("You'll return to the page you opened.")).to_be_visible()
    sign_in(mine, "owner@localhost")
    mine.wait_for_url(lambda url: "/account/login/" not in url)
    mine.goto(LIST)
    restored(mine)
    expect(mine.get_by_label("Ranges", exact=True)).to_have_value(typed)


def test_signing_out_deletes_what_was_typed(mine: Page, console: Console) -> None:
    console.allow("info: Clear-Site-Data header")
    typed = ranges(mine)
    assert mine.evaluate(KEPT) == 1
    sign_out(mine)
    assert mine.evaluate(KEPT) == 0
    sign_in(mine, "owner@localhost")
    mine.wait_for_url(lambda url: "/account/login/" not in url)
    mine.goto(LIST)
    expect(mine.get_by_label("Ranges", exact=True)).not_to_have_value(typed)


def test_another_person_in_the_same_browser_sees_nothing_and_deletes_it_by_signing_out(
    mine: Page, pilothouse: Started, console: Console
) -> None:
    console.allow("info: Clear-Site-Data header")
    mine.goto(NOTE)
    mine.get_by_label("Note").press_sequentially("for my eyes only")
    with Visitor(pilothouse.address) as owner:
        owner.sign_in("owner@localhost")
        invited(owner, "kept@example.org")
    mine.context.clear_cookies()
    mine.goto("/account/login/")
    sign_in(mine, "kept@example.org")
    mine.wait_for_url(lambda url: "/account/login/" not in url)
    mine.goto(NOTE)
    expect(mine.get_by_label("Note")).to_have_value("")
    expect(mine.locator("kept-text")).to_be_hidden()
    assert mine.evaluate(KEPT) == 1
    sign_out(mine)
    assert mine.evaluate(KEPT) == 0


def test_secrets_are_never_kept_and_leaving_asks_first(page: Page) -> None:
    asked: list[str] = []

    def stay(dialog: object) -> None:
        asked.append(dialog.type)  # type: ignore[attr-defined] # the library's own dialog
        dialog.dismiss() if len(asked) < 4 else dialog.accept()  # type: ignore[attr-defined] # as above

    page.on("dialog", stay)
    page.goto(f"/projects/{REF}/secrets/draft/")
    page.get_by_label("Paste .env lines or JSON").press_sequentially("A=canary-4711")
    page.get_by_role("link", name="Cancel").click(no_wait_after=True)
    expect(page.get_by_label("Paste .env lines or JSON")).to_have_value("A=canary-4711")
    assert asked == ["beforeunload"]
    assert "canary" not in page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")
    page.get_by_role("button", name="Review changes").click()
    page.wait_for_url("**/review/**")

    page.goto(f"/projects/{REF}/secrets/")
    page.get_by_role("link", name="Add secret").click()
    page.locator("dialog textarea[name=value]").press_sequentially("canary-4711")
    page.get_by_role("button", name="Close").first.click()
    expect(page.locator("dialog textarea[name=value]")).to_have_value("canary-4711")
    page.go_back()
    expect(page.locator("dialog textarea[name=value]")).to_have_value("canary-4711")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    assert asked == ["beforeunload", "confirm", "confirm", "confirm"]
    assert "canary" not in page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")
