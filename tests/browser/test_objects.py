"""The object browser as people meet it: looks, selection, folders, long lists, keyboard, phone, no script."""

import itertools
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible, keep_scrolling, pick, row, total, write

DESK: ViewportSize = {"width": 1280, "height": 800}


@pytest.mark.exhaustive
def test_an_empty_bucket_is_accessible_in_every_look(page: Page, bucket: str) -> None:
    for is_dark, size in itertools.product((False, True), (DESK, PHONE)):
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.set_viewport_size(size)
        page.goto(bucket)
        expect(page.get_by_text("This bucket is empty")).to_be_visible()
        accessible(page)


def test_a_long_list_grows_as_one_scrolls_and_keeps_the_selection(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.fill(bucket, "many", [f"{number:03}.txt" for number in range(130)], size=0)
    page.goto(f"{bucket}?path=many%2F")
    expect(page.locator("#objects-count")).to_have_text("First 100")
    page.get_by_label("Select 000.txt").check()
    keep_scrolling(page, 130)
    row(page, "129.txt")
    expect(page.locator("#objects-count")).to_have_text("Up to entry 130, the last one")
    expect(page.locator(".more:visible")).to_have_count(0)
    page.get_by_label("Select 129.txt").click(modifiers=["Shift"])
    expect(page.locator("[data-selected]")).to_have_text("130 selected, 0 bytes")


def test_sorting_by_the_menu_sets_no_style_that_the_policy_refuses(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    page.get_by_role("button", name="Sort").click()
    page.locator("#objects-sort").get_by_role("link", name="Created").click()
    expect(page).to_have_url(re.compile("sort=-created"))
    page.get_by_role("link", name="Refresh", exact=True).click()
    expect(page.locator("#objects-count")).to_have_text("2 entries")


def test_a_selection_is_counted_and_deleted_after_one_confirming_click(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name, content in (("a.txt", b"1"), ("b.txt", b"22"), ("c.txt", b"333"), ("d.txt", b"4444")):
        neighbour.put(bucket, name, content)
    page.goto(bucket)
    page.get_by_label("Select a.txt").check()
    page.get_by_label("Select c.txt").click(modifiers=["Shift"])
    expect(page.locator("[data-selected]")).to_have_text("3 selected, 6 bytes")
    accessible(page)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Delete 3 objects")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Delete 3 objects").click()
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.get_by_label("Select a.txt")).to_have_count(0)
    row(page, "d.txt")
    expect(page.get_by_role("link", name="d.txt")).to_be_focused()


def test_details_open_and_close_by_keyboard(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    page.get_by_role("link", name="a.txt", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel-title]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-panel]")).to_have_count(0)
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel-title]")).to_be_focused()
    page.get_by_label("More for a.txt").press("Enter")
    page.get_by_role("link", name="Delete", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_have_count(0)
    expect(page.locator("[data-panel]")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("zzz")
    expect(page.get_by_text("No names contain “zzz”")).to_be_visible()
    for key in ("ArrowDown", "Escape"):
        page.get_by_role("searchbox").fill("")
        first = page.locator(".objects__table tbody tr a").first
        expect(first).to_be_visible()
        page.get_by_role("searchbox").press(key)
        expect(first).to_be_focused()


def test_the_open_details_follow_what_becomes_of_their_object(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    neighbour.fill(bucket, "many", [f"b{number:03}.txt" for number in range(110)], size=5)
    neighbour.put(bucket, "many/a.txt", b"1")
    page.goto(f"{bucket}?path=many%2F")
    page.get_by_role("link", name="a.txt", exact=True).click()
    facts = page.locator(".details__facts")
    expect(facts).to_contain_text("1 byte")
    pick(page, *write(tmp_path, a__txt="22"))
    page.locator(".tray__row").get_by_role("button", name="Replace").click()
    expect(facts).to_contain_text("2 bytes")
    page.get_by_role("link", name="a.txt", exact=True).focus()
    page.keyboard.press("F2")
    page.get_by_label("New name").fill("z.txt")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_have_count(0, timeout=20_000)
    expect(page.locator("[data-panel]")).to_have_count(0)
    assert "open=" not in page.url


def test_a_folder_is_made_and_opened_without_losing_the_tray(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    pick(page, *write(tmp_path, a__txt="1"))
    total(page, "1 of 1 stored")
    page.get_by_role("link", name="New folder").click()
    page.get_by_label("Folder name").fill("inner")
    page.get_by_role("button", name="Create folder").click()
    page.get_by_role("link", name="inner", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("inner")
    expect(page).to_have_title(re.compile("^inner"))
    expect(page.locator("upload-tray")).to_be_visible()
    pick(page, *write(tmp_path, b__txt="2"))
    row(page, "b.txt")
    page.go_back()
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_be_visible()


def test_on_a_phone_nothing_runs_over_the_edge(open_page: NewPage, bucket: str, neighbour: Neighbour) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    neighbour.put(bucket, "a very long name that would not fit into any column of a phone, ever.txt", b"1")
    page.goto(bucket)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("document.querySelector('.objects__table').scrollWidth") <= PHONE["width"]
    accessible(page)
    page.locator(".objects__table tbody th a").click()
    expect(page.locator("[data-panel-title]")).to_be_visible()
    accessible(page)
    page.get_by_role("link", name="Share", exact=True).click()
    page.locator("dialog").get_by_role("link", name="Signed link").click()
    page.get_by_role("radio", name="Download", exact=True).check()
    page.get_by_label("File name").fill("offer.txt")
    accessible(page)
    page.get_by_role("button", name="Create link", exact=True).click()
    expect(page.locator(".links__address")).to_be_visible()
    accessible(page)


def test_without_script_a_form_uploads_and_a_page_deletes(open_page: NewPage, bucket: str, tmp_path: Path) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(bucket)
    page.get_by_role("link", name="Upload files").click()
    page.get_by_label("Files").set_input_files([str(path) for path in write(tmp_path, a__txt="1", b__txt="2")])
    page.get_by_role("button", name="Upload files").click()
    row(page, "a.txt")
    page.get_by_role("row", name="a.txt").get_by_role("checkbox").check()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete a.txt").click()
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_have_count(0)
    page.get_by_role("link", name="b.txt", exact=True).click()
    expect(page.get_by_role("heading", level=2, name="b.txt")).to_be_visible()


def test_a_change_while_the_list_is_being_refreshed_is_shown(page: Page, bucket: str, neighbour: Neighbour) -> None:
    page.goto(bucket)
    changed = "document.body.dispatchEvent(new CustomEvent('objects:changed'))"

    def answer_late(route: Route) -> None:
        answer = route.fetch()
        neighbour.put(bucket, "late.txt", b"1")
        page.evaluate(changed)
        route.fulfill(response=answer)

    page.route(bucket, answer_late, times=1)
    page.evaluate(changed)
    row(page, "late.txt")
