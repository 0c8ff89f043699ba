"""One name, one file: what would go to the same key is held back, and nothing of this page is replaced by the way."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, drop, pick, row, total, write
from tests.browser.test_uploads import POLICY, sending, tray_row, unfold

pytestmark = pytest.mark.browser


def two_of_one_name(folder: Path) -> tuple[Path, Path]:
    """Two files called dup.txt, of the same size and with other bytes."""
    for name, text in (("one", "first"), ("two", "other")):
        (folder / name).mkdir()
        (folder / name / "dup.txt").write_text(text)
    return folder / "one" / "dup.txt", folder / "two" / "dup.txt"


def test_of_two_files_of_one_name_the_second_is_held_back_and_offered_a_number(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    sent = sending(page)
    with neighbour.racing():
        pick(page, *two_of_one_name(tmp_path))
        total(page, "1 to decide")
        held = tray_row(page, "Rename needed")
        expect(held).to_contain_text("Another file in this upload has the same name: dup.txt.")
        accessible(page)
        assert sent == []
        held.get_by_role("button", name="Upload as dup (1).txt").click()
        expect(held).to_have_count(0)
        page.get_by_role("button", name="Upload 2 files").click()
        total(page, "2 of 2 stored")
        total(page, "2 verified")
    row(page, "dup.txt")
    row(page, "dup (1).txt")
    assert {neighbour.read(bucket, "dup.txt"), neighbour.read(bucket, "dup (1).txt")} == {b"first", b"other"}


def test_names_in_other_scripts_keep_their_meaning_and_get_numbers_where_they_come_out_alike(
    page: Page, bucket: str, tmp_path: Path
) -> None:
    for name in ("日本語.txt", "にほんご.txt", "Привет.txt", "café.txt", "cafè.txt"):
        (tmp_path / name).write_text(name)
    drop(page, *tmp_path.iterdir())
    total(page, "5 to decide")
    for suggestion in ("RiBenYu.txt", "nihongo.txt", "Privet.txt", "cafe.txt", "cafe (1).txt"):
        expect(page.get_by_role("button", name=f"Upload as {suggestion}")).to_be_visible()
    page.get_by_role("button", name="Use suggested names").click()
    page.get_by_role("button", name="Upload 5 files").click()
    total(page, "5 of 5 stored")
    total(page, "5 verified")
    for name in ("RiBenYu.txt", "nihongo.txt", "Privet.txt", "cafe.txt", "cafe (1).txt"):
        row(page, name)


def test_a_second_press_of_upload_replaces_nothing_that_was_stored_by_this_page(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    first, second = two_of_one_name(tmp_path)
    second.write_text("a longer one")
    pick(page, first)
    total(page, "1 of 1 stored")
    unfold(page)
    pick(page, second, *write(tmp_path, b__txt="1"))
    total(page, "1 to decide")
    expect(tray_row(page, "Different")).to_contain_text("You uploaded a file with this name a moment ago")
    page.get_by_label(POLICY).select_option("replace")
    expect(page.locator("[data-part=sentence]")).to_contain_text("1 to upload, 1 to decide")
    page.get_by_role("button", name="Upload 1 file").click()
    total(page, "1 of 2 stored")
    assert neighbour.read(bucket, "dup.txt") == b"first"
    tray_row(page, "Different").get_by_role("button", name="Replace").click()
    total(page, "2 of 2 stored")
    assert neighbour.read(bucket, "dup.txt") == b"a longer one"


def test_a_name_that_was_taken_since_the_comparison_is_compared_again_and_not_replaced(
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(409, "/~upload/")

    def take_first(route: Route) -> None:
        neighbour.put(bucket, "a.txt", b"of somebody else")
        route.continue_()

    page.route("**/~upload/?*", take_first, times=1)
    pick(page, *write(tmp_path, a__txt="mine"))
    total(page, "1 to decide")
    taken = tray_row(page, "Different")
    expect(taken).to_contain_text("The bucket now has an object with this name. Nothing was replaced.")
    page.get_by_label(POLICY).select_option("replace")
    total(page, "1 to decide")
    assert neighbour.read(bucket, "a.txt") == b"of somebody else"
    taken.get_by_role("button", name="Keep both").click()
    total(page, "1 of 1 stored")
    row(page, "a (1).txt")


def test_two_tabs_that_upload_one_name_at_the_same_time_store_it_once(
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(423, "/~upload/")
    first, second = two_of_one_name(tmp_path)
    with first.open("wb") as large:
        large.truncate(8 << 20)
    beside = page.context.new_page()
    console.listen(beside)
    beside.goto(bucket)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1 << 20}
    session = page.context.new_cdp_session(page)
    session.send("Network.emulateNetworkConditions", slow)
    with neighbour.racing():
        pick(page, first)
        expect(page.locator(".tray__row[data-state=sending]")).to_contain_text(re.compile(r"[1-9]\.\d MiB of 8.0 MiB"))
        pick(beside, second)
        expect(tray_row(beside, "dup.txt")).to_contain_text("You are already uploading this file name. Next try in")
        session.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})
        total(page, "1 verified")
        total(beside, "1 to decide")
    assert neighbour.read(bucket, "dup.txt") == bytes(8 << 20)


def test_names_too_long_for_the_service_are_held_back_before_anything_is_sent(page: Page, bucket: str, tmp_path: Path) -> None:
    sent = sending(page)
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / ".emptyFolderPlaceholder").write_text("not empty")
    # 244 bytes on this disk, and twice as many in Latin letters.
    (folder / f"{'щ' * 120}.txt").write_text("1")
    (folder / "good.txt").write_text("1")
    drop(page, folder)
    total(page, "2 to decide")
    expect(tray_row(page, ".emptyFolderPlaceholder")).to_contain_text("marks an empty folder")
    page.get_by_role("button", name="Use suggested names").click()
    assert sent == []
    expect(page.get_by_role("button", name="Upload 3 files")).to_be_focused()
    page.get_by_role("button", name="Upload 3 files").click()
    total(page, "3 of 3 stored")
    page.get_by_role("link", name="deep").click()
    row(page, "emptyFolderPlaceholder")


def test_an_offline_browser_waits_and_resumes_its_queue(page: Page, bucket: str, console: Console, tmp_path: Path) -> None:
    console.allow(".*ERR_INTERNET_DISCONNECTED.*")
    # The page's own polls say so, too.
    console.allow("error: htmx:(afterRequest|sendError)")

    def disconnect(route: Route) -> None:
        page.context.set_offline(True)
        route.abort("internetdisconnected")

    page.route("**/~upload/?*", disconnect, times=1)
    pick(page, *write(tmp_path, a__txt="1", b__txt="2", c__txt="3", d__txt="4", e__txt="5"))
    expect(page.locator("[data-part=title]")).to_have_text("Waiting for the connection")
    expect(page.locator(".tray__row", has_text="Resumes when the connection is back").first).to_be_visible()
    pick(page, *write(tmp_path, f__txt="6"))
    expect(tray_row(page, "f.txt")).to_contain_text("Comparing")
    accessible(page)
    page.context.set_offline(False)
    total(page, "6 of 6 stored", seconds=40)
    total(page, "6 verified")
    expect(page.locator("[data-part=title]")).to_have_text("Uploads")
