"""The sign desk as people use it: a pasted list with gaps, links that a job makes, and what to do with them."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible

SOON = 30_000
DESK: ViewportSize = {"width": 1280, "height": 800}
MISSING = "Either the object does not exist or you do not have access to it"
GONE = ["set/gone 1.txt", "set/gone 2.txt", "elsewhere/gone 3.txt"]


def paste(page: Page, text: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.get_by_label("Keys, one per line").press("Control+v")
    expect(page.get_by_label("Keys, one per line")).to_have_value(text)


@pytest.mark.exhaustive
def test_thousands_of_keys_of_which_3_are_missing_are_signed_by_a_job(
    page: Page, bucket: str, neighbour: Neighbour, console: Console
) -> None:
    console.expect(422, "/~sign/")
    count = 2497
    names = [f"{number:04}.txt" for number in range(count)]
    neighbour.fill(bucket, "set", names, size=5)
    page.goto(bucket)
    page.get_by_role("link", name="Share files", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create links")
    accessible(page)
    page.get_by_role("button", name="Review links").click()
    expect(page.get_by_text("Enter at least one key")).to_be_visible()
    paste(page, "\n".join([*GONE, *(f"set/{name}" for name in names)]))
    page.get_by_role("button", name="Review links").click()
    expect(page.locator("#job-plan")).to_contain_text(f"{count:,} objects in", timeout=SOON)
    expect(page.locator("#job-plan")).to_contain_text("3 objects not found")
    accessible(page)
    page.get_by_role("button", name="Create links").click()
    expect(page.locator("main")).to_contain_text(f"{count + 3:,} of {count + 3:,}", timeout=SOON)
    page.locator(".facts__row").filter(has_text="Started from").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{count:,} links created")
    for key in GONE:
        expect(page.get_by_role("listitem").filter(has_text=key)).to_contain_text(MISSING)
    accessible(page)

    with page.expect_download() as download:
        page.get_by_role("link", name="Save as CSV").click()
    with Path(download.value.path()).open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert len([row for row in rows if row["address"]]) == count
    assert {row["key"]: row["refusal"] for row in rows if not row["address"]} == dict.fromkeys(GONE, MISSING)

    page.get_by_role("link", name="Copy as Plain text").click()
    expect(page.locator("#dialog-title")).to_have_text(f"Plain text: {count:,} links")
    assert page.get_by_label("Plain text", exact=True).input_value().startswith("http")
    accessible(page)
    page.get_by_role("button", name="Close").first.click()

    signed = page.url
    page.goto("/links/presigned/")
    expect(page.get_by_role("row").filter(has_text=f"{count:,}")).to_have_count(1)
    for is_dark, size in ((True, DESK), (False, PHONE)):
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.set_viewport_size(size)
        page.goto(signed)
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_folder_and_a_search_lead_from_the_selection_to_the_desk(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.fill(bucket, "set", ["1.txt", "2.txt"], size=5)
    page.goto(bucket)
    page.get_by_label("Select set").check()
    page.get_by_role("button", name="Share", exact=True).click()
    page.locator("dialog").get_by_role("link", name="Signed link").click()
    expect(page.locator("#dialog-title")).to_have_text("Share set")
    accessible(page)
    page.get_by_role("button", name="Review links").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review links")
    expect(page.locator("main")).to_contain_text("2 objects, 10 bytes.")
    page.get_by_role("button", name="Create signed links").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("2 links created")
    page.get_by_role("button", name="Share as one link").click()
    expect(page.locator("#dialog-title")).to_have_text("Share set")
