"""The focus goes on where an answer replaces the control that has it."""

from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import SPACE, overtaken, pick, shared, write

REF = "xreugplnbwsqhdvfyakt"


def test_a_link_that_is_revoked_and_restored_keeps_the_focus_in_its_row(page: Page, bucket: str, neighbour: Neighbour) -> None:
    name = f"focus-{uuid4().hex[:8]}.txt"
    neighbour.put(bucket, name, b"a")
    shared(page, bucket, f"key={name}")
    page.goto("/links/")
    page.get_by_role("button", name=f"Revoke the link to {name}").press("Enter")
    expect(page.get_by_role("button", name=f"Restore the link to {name}")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Revoke the link to {name}")).to_be_focused()


def test_what_a_dialog_shows_after_its_form_has_the_focus(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.put(bucket, "offer.txt", b"a")
    page.goto(bucket)
    page.get_by_role("link", name="offer.txt", exact=True).press(".")
    page.locator("[data-row-menu]").get_by_role("button", name="Share").press("Enter")
    page.get_by_role("button", name="Create link", exact=True).press("Enter")
    expect(page.locator("dialog").get_by_role("button", name="Copy link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="offer.txt", exact=True)).to_be_focused()


def test_the_next_row_has_the_focus_when_a_row_is_deleted(page: Page, neighbour: Neighbour) -> None:
    first = f"FOCUS_{uuid4().hex[:8].upper()}"
    for name in (first, f"{first}_NEXT"):
        neighbour.secret(REF, name)
    page.goto(f"/projects/{REF}/secrets/")
    page.get_by_role("link", name=f"Delete {first}", exact=True).press("Enter")
    dialog = page.locator("dialog")
    dialog.locator("[data-must-be]").fill(first)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name=f"Delete {first}", exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name=f"Delete {first}_NEXT")).to_be_focused()


def test_the_focus_goes_on_though_another_answer_comes_first(page: Page) -> None:
    page.goto(SPACE)
    created = page.get_by_role("link", name="Created", exact=True)
    with overtaken(page, "sort="):
        created.press("Enter")
    expect(created).to_be_focused()


def test_a_closed_notice_leaves_the_focus_on_the_page(page: Page) -> None:
    page.goto("/sandbox/switches/")
    page.get_by_role("button", name="Switch on: Stuck").click()
    page.locator("main").get_by_role("button", name="Reset").click()
    page.locator("#notices").get_by_role("button").press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_cancelled_upload_gives_the_focus_to_the_file_below_it(
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(429, "/~upload/")
    with neighbour.failing("S9", status=429, retry_after=60):
        page.goto(bucket)
        pick(page, *write(tmp_path, a__txt="a", b__txt="b", c__txt="c", d__txt="d"))
        rows = page.locator("upload-rows li")
        expect(rows).to_have_count(4)
        expect(rows.filter(has_text="Next try in").first).to_be_visible()
        rows.first.get_by_role("button", name="Cancel").press("Enter")
        expect(rows.locator("button:focus")).to_have_count(1)
        page.get_by_role("button", name="Cancel all").press("Enter")
        expect(page.locator("upload-tray .tray__summary")).to_be_focused()
