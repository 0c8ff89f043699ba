"""A form in a dialog that has to wait for an earlier change, and sending that again."""

from playwright.sync_api import Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.features.test_calls import REF


def add(page: Page) -> None:
    page.get_by_role("link", name="Add secret").first.click()
    page.get_by_label("Name", exact=True).fill("IN_DOUBT")
    page.get_by_label("Value", exact=True).fill("typed")
    page.get_by_role("button", name="Save secret").click()


def test_a_dialog_that_has_to_wait_keeps_what_was_typed_and_leads_to_send_again(
    page: Page, neighbour: Neighbour, console: Console
) -> None:
    console.expect(422, "/secrets/new/")
    page.goto(f"/projects/{REF}/secrets/")
    alert = page.locator("#dialog-alert")
    with neighbour.failing("M6", cut="before", times=1):
        add(page)
        expect(alert).to_contain_text("The outcome is unknown")
        expect(page.get_by_role("button", name="Save secret")).to_be_disabled()
    page.reload()
    add(page)
    expect(alert).to_contain_text("still being checked")
    expect(page.get_by_label("Name", exact=True)).to_have_value("IN_DOUBT")
    expect(page.get_by_label("Value", exact=True)).to_have_value("typed")
    alert.get_by_role("link", name="Send again").click()
    expect(page.get_by_role("heading", name="Send it again?")).to_be_visible()
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("body")).to_contain_text("Sent again and verified: secret IN_DOUBT.")
