"""Sharing as people do it: made in the object browser, opened signed out elsewhere, ended and opened again; with a password."""

import re
import time
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible, shared


def share(page: Page, bucket: str, name: str, **typed: str) -> str:
    """Share an object by the dialog; its address."""
    space = bucket.rstrip("/")
    page.goto(f"{space}/~share/?key={name}")
    if "password" in typed:
        page.get_by_label("Protection").select_option("with a password")
    if typed.keys() - {"password"}:
        page.locator("summary").filter(has_text="More options").click()
    for label, text in typed.items():
        page.locator(f"input[name={label}], textarea[name={label}]").fill(text)
    page.get_by_role("button", name="Create link", exact=True).click()
    return page.locator(".links__address").inner_text()


def test_a_link_is_opened_signed_out_ended_and_opened_again(
    page: Page, outside: Page, bucket: str, neighbour: Neighbour, console: Console
) -> None:
    neighbour.put(bucket, "offer.txt", b"the offer")
    address = share(page, bucket, "offer.txt")
    console.expect(410, urlsplit(address).path)

    outside.goto(address)
    expect(outside.get_by_role("heading", level=1)).to_have_text("offer.txt")
    assert outside.evaluate("document.scripts.length") == 0
    assert outside.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    accessible(outside)
    with outside.expect_download() as download:
        outside.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "offer.txt"
    assert Path(download.value.path()).read_text() == "the offer"

    page.goto("/links/")
    row = page.get_by_role("row").filter(has_text="offer.txt").first
    expect(row).to_contain_text("Active")
    accessible(page)
    row.get_by_role("button", name="Revoke the link to offer.txt").click()
    expect(page.locator("#notices")).to_contain_text("Link to offer.txt revoked")
    ended = time.time()
    answer = outside.goto(address)
    assert answer
    assert (answer.request.timing["startTime"] + answer.request.timing["responseStart"]) / 1000 - ended < 1
    expect(outside.get_by_role("heading", level=1)).to_have_text("Link revoked")
    accessible(outside)

    expect(row).to_contain_text("Revoked")
    page.locator("#notices").get_by_role("link", name="Undo").click()
    expect(row).to_contain_text("Active")
    expect(page.locator("#notices").get_by_role("link", name="Undo")).to_have_count(0)
    outside.goto(address)
    expect(outside.get_by_role("heading", level=1)).to_have_text("offer.txt")


def test_a_password_is_asked_for_and_a_limit_is_kept(
    page: Page, outside: Page, bucket: str, neighbour: Neighbour, console: Console
) -> None:
    neighbour.put(bucket, "plan.txt", b"the plan")
    address = share(page, bucket, "plan.txt", password="four random words", limit="1", note="For your eyes")
    for status in (422, 410):
        console.expect(status, urlsplit(address).path)
    outside.goto(address)
    expect(outside.get_by_role("heading", level=1)).to_have_text("Password required")
    expect(outside.locator("body")).not_to_contain_text("plan")
    accessible(outside)
    outside.get_by_label("Password").fill("something else")
    outside.get_by_role("button", name="Open link").click()
    expect(outside.get_by_role("alert")).to_contain_text("Wrong password")
    accessible(outside)
    outside.get_by_label("Password").fill("four random words")
    outside.get_by_role("button", name="Open link").click()
    expect(outside.get_by_role("heading", level=1)).to_have_text("plan.txt")
    expect(outside.locator("body")).to_contain_text("For your eyes")
    with outside.expect_download() as download:
        outside.get_by_role("link", name="Download").click()
    assert Path(download.value.path()).read_text() == "the plan"
    outside.reload()
    expect(outside.get_by_role("heading", level=1)).to_have_text("Download limit reached")


def test_the_dialog_of_the_object_browser_makes_a_link_and_copies_it(page: Page, bucket: str, neighbour: Neighbour) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    page.get_by_label("Select a.txt").check()
    page.get_by_label("Select b.txt").check()
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#dialog-title")).to_have_text("Share 2 objects")
    expect(page.get_by_label("Expires at")).to_be_hidden()
    accessible(page)
    expect(page.locator(".terms__line")).to_have_text(
        re.compile(r"Anyone with the link.*7 days.*no password.*can download", re.DOTALL)
    )
    expect(page.locator("input[name=password]")).to_be_hidden()
    page.get_by_role("button", name="Create link", exact=True).click()
    address = page.locator(".links__address")
    expect(address).to_have_text(re.compile(r"/l/[\w-]{22}$"))
    expect(page.locator("#notices")).to_contain_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == address.inner_text()
    accessible(page)


def test_each_word_of_the_line_is_changed_in_place(page: Page, bucket: str, console: Console) -> None:
    console.expect(422, "/~share/")
    page.goto(f"{bucket}~share/?key=a.txt")
    word, password, name = (
        page.get_by_label("Protection"),
        page.locator("input[name=password]"),
        page.get_by_label("Download name"),
    )
    page.get_by_label("The link works for").select_option("30 days")
    expect(password).to_be_hidden()
    word.select_option("with a password")
    password.fill("short")
    page.get_by_role("button", name="Create link", exact=True).click()
    expect(page.locator("main .field__error")).to_contain_text("Use at least 8 characters.")
    expect(page.get_by_label("The link works for")).to_have_value("2592000")
    password.fill("four random words")
    page.locator("summary").filter(has_text="More options").click()
    expect(name).to_be_visible()
    page.get_by_label("When opened").select_option("can only view")
    expect(name).to_be_hidden()
    accessible(page)
    page.get_by_role("button", name="Create link", exact=True).click()
    expect(page.locator("main")).to_contain_text("Send the password separately")


def test_the_page_of_the_form_asks_for_an_exact_end_in_ones_own_zone(page: Page, bucket: str, console: Console) -> None:
    console.expect(422, "/~share/")
    page.goto(f"{bucket}~share/?key=a.txt")
    end = page.get_by_label("Expires at")
    expect(end).to_be_hidden()
    page.get_by_label("The link works for").select_option("until a date and time")
    end.fill("2020-01-01T10:00")
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    for _ in range(2):
        expect(page.locator("#id_end_helptext")).to_have_text(f"Your time zone: {zone}.")
        page.get_by_role("button", name="Create link", exact=True).click()
        expect(page.locator("form").get_by_role("alert").or_(page.locator(".field__error")).first).to_contain_text("in the past")
    accessible(page)


def test_many_links_are_found_and_ended_together(page: Page, outside: Page, bucket: str, console: Console) -> None:
    addresses = [shared(page, bucket, f"key={number}.txt", note="for the fair") for number in range(11)]
    for status in (410, 404):
        console.expect(status, urlsplit(addresses[7]).path)
    shared(page, bucket, "key=other.txt")
    page.goto("/links/")
    page.get_by_label("Search names, notes and people").fill("for the fair")
    expect(page.get_by_role("status").filter(has_text="11 links")).to_be_visible()
    page.get_by_label("Select the link to 3.txt").check()
    expect(page.locator("[data-selected]")).to_have_text("1 selected")
    page.get_by_label("All active matches").check()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.locator("#dialog-title")).to_have_text("Revoke 11 links")
    accessible(page)
    page.get_by_label("Type 11 to continue").fill("11")
    page.get_by_role("button", name="Revoke 11 links").click()
    expect(page.locator("#notices")).to_contain_text("11 links revoked")
    expect(page.locator("#links tbody")).not_to_contain_text("Active")
    outside.goto(addresses[7])
    expect(outside.get_by_role("heading", level=1)).to_have_text("Link revoked")
    page.locator("#notices").get_by_role("link", name="Undo").click()
    expect(page.locator("#links tbody tr").first).to_contain_text("Active")
    outside.goto(addresses[7])
    expect(outside.get_by_role("heading", level=1)).to_have_text("File missing")
    page.reload()
    expect(page.locator("#links tbody tr").filter(has_text="7.txt")).to_contain_text("File missing")
    accessible(page)
    page.get_by_role("link", name="Signed links").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Signed links")
    accessible(page)


def test_whoever_owns_the_dns_gets_the_records_by_a_link(page: Page, outside: Page, console: Console) -> None:
    page.goto("/projects/pwgxlsnvjtaeoqkdhbfm/hostname/")
    expect(page.locator("#hostname-records")).to_contain_text("Missing")
    page.get_by_role("link", name="Share instructions").click()
    expect(page.locator("#dialog-title")).to_contain_text("Share instructions for track-staging")
    expect(page.get_by_label("Expires at")).to_be_hidden()
    accessible(page)
    page.get_by_role("button", name="Create link", exact=True).click()
    address = page.locator(".links__address").inner_text()
    console.expect(410, urlsplit(address).path)
    expect(page.get_by_label("E-mail text")).to_have_value(re.compile(re.escape(address)))
    accessible(page)
    outside.goto(address)
    expect(outside.get_by_role("heading", level=1)).to_contain_text("DNS records for track-staging")
    expect(outside.locator("main")).to_contain_text("Missing")
    assert outside.evaluate("document.scripts.length") == 0
    assert outside.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    accessible(outside)

    page.get_by_role("button", name="Done").click()
    listed = page.locator("#hostname-links")
    expect(listed).to_contain_text("never opened")
    accessible(page)
    listed.get_by_role("button", name="Revoke the link without a note").click()
    expect(listed).to_be_hidden()
    outside.reload()
    expect(outside.get_by_role("heading", level=1)).to_have_text("Link revoked")
