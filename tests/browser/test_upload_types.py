"""Type and caching of files before they are uploaded: of a selection, and of single files."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, pick, row, total, write
from tests.browser.test_uploads import sending, tray_row, unfold

ALL = "Content type of all"


def review(page: Page, *paths: Path) -> None:
    """Choose files that wait for a look at their type and caching."""
    press_review(page)
    expect(page.locator("[data-review]")).to_have_attribute("aria-pressed", "true")
    pick(page, *paths)
    expect(page.get_by_label(ALL)).to_be_visible()


def press_review(page: Page) -> None:
    page.get_by_label(re.compile("^More for journey")).click()
    page.get_by_role("button", name="Type and caching").click()


def type_of(page: Page, name: str) -> Locator:
    return page.get_by_label(f"Content type: {name}")


def enter(field: Locator, text: str) -> None:
    field.fill(text)
    field.press("Enter")


def facts(page: Page, bucket: str, key: str) -> Locator:
    """The details of an object."""
    page.goto(f"{bucket}?open={key}")
    return page.locator(".details__facts")


def test_type_and_caching_are_chosen_for_all_files_and_the_type_for_one(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    sent = sending(page)
    review(page, *write(tmp_path, a__txt="1", b__txt="2", c__bin="3"))
    expect(page.locator("[data-part=sentence]")).to_contain_text("Not sent yet: 3 to upload.")
    expect(type_of(page, "a.txt")).to_have_value("text/plain")
    expect(type_of(page, "c.bin")).to_have_value("application/octet-stream")
    accessible(page)
    enter(page.get_by_label(ALL), "text/csv")
    expect(type_of(page, "c.bin")).to_have_value("text/csv")
    enter(type_of(page, "b.txt"), "application/x.of-ours+json")
    page.get_by_role("combobox", name="Caching").select_option("Keep for 1 hour")
    assert sent == []
    page.get_by_role("button", name="Upload 3 files").click()
    total(page, "3 verified")
    for key, kind in (("a.txt", "text/csv"), ("b.txt", "application/x.of-ours+json"), ("c.bin", "text/csv")):
        shown = facts(page, bucket, key)
        expect(shown).to_contain_text(kind)
        expect(shown).to_contain_text("max-age=3600")


def test_a_type_that_is_wrong_or_not_allowed_is_refused_where_it_is_typed(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    page.evaluate("document.querySelector('[data-uploads]').dataset.types = 'text/*, image/png'")
    sent = sending(page)
    review(page, *write(tmp_path, a__txt="1", b__bin="2"))
    expect(page.locator("[data-part=sentence]")).to_contain_text("Not sent yet: 1 to upload, 1 to decide.")
    expect(tray_row(page, "b.bin")).to_contain_text("The bucket allows only text/*, image/png; this is application/octet-stream.")
    enter(page.get_by_label(ALL), "multipart/form-data")
    expect(page.get_by_label(ALL)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert").get_by_text("Enter a type as in the header, for example: image/png")).to_be_visible()
    expect(page.get_by_role("button", name="Nothing to upload yet")).to_be_disabled()
    accessible(page)
    enter(page.get_by_label(ALL), "")
    enter(type_of(page, "b.bin"), "no type")
    expect(tray_row(page, "b.bin")).to_contain_text("Enter a type as in the header, for example: image/png")
    expect(type_of(page, "b.bin")).to_have_attribute("aria-invalid", "true")
    enter(type_of(page, "b.bin"), "text/x-of-ours; charset=utf-8")
    expect(type_of(page, "b.bin")).to_have_attribute("aria-invalid", "false")
    assert sent == []
    page.get_by_role("button", name="Upload 2 files").click()
    total(page, "2 verified")
    expect(facts(page, bucket, "b.bin")).to_contain_text("text/x-of-ours; charset=utf-8")


def test_a_chosen_type_survives_a_failure_a_retry_and_a_taken_name(
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(502, "/~upload/")
    neighbour.put(bucket, "b.txt", b"of somebody else")
    page.goto(bucket)
    review(page, *write(tmp_path, a__txt="1", b__txt="2"))
    tray_row(page, "b.txt").get_by_role("button", name="Replace").click()
    enter(page.get_by_label(ALL), "application/octet-stream")
    page.get_by_role("combobox", name="Caching").select_option("Keep for 1 day")
    with neighbour.failing("S9", status=500, times=1), neighbour.failing("S10", status=500, times=1):
        page.get_by_role("button", name="Upload 2 files").click()
        total(page, "2 not uploaded")
    page.get_by_role("button", name="Retry 2 failed files").click()
    total(page, "2 verified")
    for key in ("a.txt", "b.txt"):
        shown = facts(page, bucket, key)
        expect(shown).to_contain_text("application/octet-stream")
        expect(shown).to_contain_text("max-age=86400")


def test_without_a_review_files_start_at_once_with_the_type_of_their_names(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    review(page, *write(tmp_path, a__txt="1"))
    enter(page.get_by_label(ALL), "text/csv")
    page.get_by_role("button", name="Upload 1 file").click()
    total(page, "1 verified")
    unfold(page)
    press_review(page)
    pick(page, *write(tmp_path, b__txt="1"))
    row(page, "b.txt")
    expect(page.locator("[data-pending]")).to_have_count(0)
    shown = facts(page, bucket, "b.txt")
    expect(shown).to_contain_text("text/plain")
    expect(shown).to_contain_text("no-cache")
