"""Files that are being uploaded, among the rows of their folder, and their tray beside a notice."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, hold, pick, row, total, write

UPLOADS = "**/~upload/?*"
PENDING = "[data-rows] tr[data-pending]"
NAMES = """() => [...document.querySelectorAll("[data-rows] tbody > tr th bdi")].map((one) => one.textContent)"""
REFRESH = """() => new Promise((resolve) => {
  document.addEventListener("htmx:afterSettle", resolve, { once: true });
  document.body.dispatchEvent(new CustomEvent("objects:changed"));
})"""
# The longest task from the press to the last row, and how long all took until the next picture, in milliseconds.
WATCH = """() => {
  window.slow = [0];
  const seen = new PerformanceObserver((list) => window.slow.push(...list.getEntries().map((one) => one.duration)));
  seen.observe({ entryTypes: ["longtask"] });
}"""


@pytest.fixture
def three(bucket: str, neighbour: Neighbour) -> str:
    """The address of a bucket with two files and a folder."""
    for key in ("a.txt", "c.txt", "z/inner.txt"):
        neighbour.put(bucket, key, b"there")
    return bucket


def names(page: Page) -> list[str]:
    return list(page.evaluate(NAMES))


def test_files_being_uploaded_stand_in_their_sorted_place_until_the_list_has_them(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    for key in ("z/inner.txt", "a.txt", "C.txt"):
        neighbour.put(bucket, key, b"there")
    page.goto(bucket)
    with hold(page, UPLOADS):
        pick(page, *write(tmp_path, B__txt="new", d__txt="new"))
        expect(page.locator(PENDING)).to_have_count(2)
        assert names(page) == ["z", "a.txt", "B.txt", "C.txt", "d.txt"]
        expect(page.locator(PENDING).first).to_contain_text("Uploading")
        expect(page.get_by_role("progressbar", name="Progress of B.txt").first).to_be_visible()
        accessible(page)
        page.evaluate(REFRESH)
        assert names(page) == ["z", "a.txt", "B.txt", "C.txt", "d.txt"]
    total(page, "2 verified")
    for name in ("B.txt", "d.txt"):
        expect(page.locator(f'[data-rows] input[name=key][value="{name}"]')).to_be_visible()
    expect(page.locator(PENDING)).to_have_count(0)
    assert names(page) == ["z", "a.txt", "B.txt", "C.txt", "d.txt"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ("?sort=-name", ["z", "c.txt", "b.txt", "a.txt"]),
        ("?sort=-updated", ["z", "b.txt", "c.txt", "a.txt"]),
        ("?sort=updated", ["z", "a.txt", "c.txt", "b.txt"]),
        ("?view=grid", ["z", "a.txt", "b.txt", "c.txt"]),
        ("?search=c", ["c.txt"]),
        ("?search=B", ["b.txt"]),
    ],
)
def test_files_being_uploaded_keep_to_the_order_the_filter_and_the_view_of_the_list(
    page: Page, three: str, tmp_path: Path, asked: str, order: list[str]
) -> None:
    page.goto(three + asked)
    with hold(page, UPLOADS):
        pick(page, *write(tmp_path, b__txt="new"))
        expect(page.locator(".tray__row[data-state=sending]")).to_have_count(1)
        assert names(page) == order
        if "grid" in asked:
            expect(page.locator(".objects__table--grid tr[data-pending]")).to_be_visible()
            accessible(page)
    total(page, "1 verified")
    page.evaluate(REFRESH)
    assert names(page) == order


def test_spaces_at_the_ends_of_a_name_and_in_a_row_are_visible_while_it_is_uploaded(
    page: Page, bucket: str, tmp_path: Path
) -> None:
    page.goto(bucket)
    (tmp_path / " two  words .txt").write_text("1")
    with hold(page, UPLOADS):
        pick(page, tmp_path / " two  words .txt")
        expect(page.locator(f"{PENDING} th bdi")).to_have_text("␣two␣␣words .txt")
    total(page, "1 of 1 stored")


def test_a_folder_shows_only_the_files_that_go_there_also_one_that_was_empty(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    inner = f"{bucket}?path=inner%2F"
    with hold(page, UPLOADS):
        pick(page, *write(tmp_path, a__txt="1"))
        expect(page.locator(PENDING)).to_have_count(1)
        expect(page.get_by_text("This bucket is empty")).to_be_hidden()
        accessible(page)
        page.evaluate("(address) => htmx.ajax('GET', address, { target: '#objects', swap: 'outerHTML', push: 'true' })", inner)
        expect(page.get_by_text("This folder is empty")).to_be_visible()
        expect(page.locator(PENDING)).to_have_count(0)
        page.locator("[data-steps] a").first.click()
        expect(page.locator(PENDING)).to_have_count(1)
    total(page, "1 verified")
    row(page, "a.txt")
    expect(page.locator(PENDING)).to_have_count(0)


def test_a_file_is_cancelled_in_its_row_by_mouse_and_by_key_and_the_focus_goes_on(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    neighbour.put(bucket, "c.txt", b"there")
    page.goto(bucket)
    with hold(page, UPLOADS):
        pick(page, *write(tmp_path, a__txt="1", b__txt="2"))
        expect(page.locator(PENDING)).to_have_count(2)
        page.get_by_role("button", name="Cancel a.txt").click()
        expect(page.locator(PENDING)).to_have_count(1)
        page.locator("#main").focus()
        page.keyboard.press("Home")
        page.keyboard.press("Home")
        expect(page.locator(f"{PENDING} th a")).to_be_focused()
        page.keyboard.press(" ")
        page.keyboard.press(".")
        page.keyboard.press("Delete")
        expect(page.locator(PENDING)).to_have_count(0)
        expect(page.get_by_role("link", name="c.txt")).to_be_focused()
        expect(page.locator("dialog")).to_be_hidden()
        total(page, "2 cancelled")


def test_the_focus_stays_on_a_file_when_the_list_has_it(page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path) -> None:
    neighbour.put(bucket, "a.txt", b"there")
    page.goto(bucket)
    with hold(page, UPLOADS):
        pick(page, *write(tmp_path, b__txt="2"))
        expect(page.locator(PENDING)).to_have_count(1)
        page.locator("#main").focus()
        page.keyboard.press("End")
        page.keyboard.press("End")
        page.evaluate(REFRESH)
        expect(page.locator(f"{PENDING} th a")).to_be_focused()
    expect(page.get_by_role("link", name="b.txt")).to_be_focused()


def test_an_object_that_is_replaced_has_a_bar_in_its_row_and_no_second_one(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    neighbour.put(bucket, "a.txt", b"there")
    page.goto(bucket)
    with hold(page, UPLOADS):
        pick(page, *write(tmp_path, a__txt="another"))
        page.locator(".tray__row").get_by_role("button", name="Replace").click()
        expect(page.locator("[data-rows]").get_by_role("progressbar", name="Progress of a.txt")).to_be_visible()
        assert names(page) == ["a.txt"]
        page.evaluate(REFRESH)
        expect(page.locator("[data-rows] progress")).to_have_count(1)
    total(page, "1 verified")
    expect(page.locator("[data-rows] progress")).to_have_count(0)
    assert names(page) == ["a.txt"]


def test_what_was_not_stored_says_so_in_its_row_until_it_is_dismissed(
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(502, "/~upload/")
    page.goto(bucket)
    with neighbour.failing("S9", status=500, times=1):
        pick(page, *write(tmp_path, a__txt="1"))
        expect(page.locator(PENDING)).to_contain_text("Not uploaded")
    page.locator(".tray__row").get_by_role("button", name="Dismiss").click()
    expect(page.locator(PENDING)).to_have_count(0)
    expect(page.get_by_text("This bucket is empty")).to_be_visible()


@pytest.mark.exhaustive
def test_hundreds_of_files_in_one_folder_are_shown_and_stay_usable(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    many = 300
    paths = [tmp_path / f"{number:03}.txt" for number in range(many)]
    for path in paths:
        path.write_text(path.name)
    page.evaluate(WATCH)
    with hold(page, UPLOADS):
        pick(page, *paths)
        expect(page.locator(PENDING)).to_have_count(many)
        assert names(page) == [path.name for path in paths]
    total(page, f"{many} verified", seconds=120)
    expect(page.locator(PENDING)).to_have_count(0)
    assert len(set(names(page))) == len(names(page)) >= 100
    # Loose, for a machine with other work: a page that lays all rows out again with each change takes seconds.
    assert max(page.evaluate("window.slow")) < 1500
    assert re.search(rf"{many} of {many} stored", page.locator("[data-part=total]").inner_text())


def test_a_notice_covers_nothing_of_the_tray(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    pick(page, *write(tmp_path, a__txt="1"))
    total(page, "1 of 1 stored")
    page.evaluate("document.querySelector('notice-list').say('You are signed out. Sign in again in another tab.', 'danger')")
    for width in (390, 768, 900, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        notice, tray = (page.locator(part).bounding_box() for part in (".notice--danger:visible", ".tray--docked"))
        assert notice
        assert tray
        assert notice["x"] >= 0
        beside = notice["x"] + notice["width"] <= tray["x"]
        assert beside or notice["y"] + notice["height"] <= tray["y"], width
