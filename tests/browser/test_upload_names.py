"""One name, one file: what would go to the same key is held back, and nothing of this page is replaced by the way."""

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from playwright.sync_api import Page, Route, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, drop, pick, row, total, write
from tests.browser.test_uploads import POLICY, sending, tray_row, unfold


def two_of_one_name(folder: Path) -> tuple[Path, Path]:
    """Two files called dup.txt, of the same size and with other bytes."""
    for name, text in (("one", "first"), ("two", "other")):
        (folder / name).mkdir()
        (folder / name / "dup.txt").write_text(text)
    return folder / "one" / "dup.txt", folder / "two" / "dup.txt"


def test_of_two_files_of_one_name_the_second_is_held_back_and_offered_a_number(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    page.goto(bucket)
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
    page.goto(bucket)
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
    page.goto(bucket)
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

    page.goto(bucket)

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
    page.goto(bucket)
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
        expect(page.locator(".tray__row[data-state=sending]")).to_contain_text(re.compile(r"[1-9]\.\d MB of 8.4 MB"))
        pick(beside, second)
        expect(tray_row(beside, "dup.txt")).to_contain_text("You are already uploading this file name. Next try in")
        session.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})
        total(page, "1 verified")
        total(beside, "1 to decide")
    assert neighbour.read(bucket, "dup.txt") == bytes(8 << 20)


def test_names_too_long_for_the_service_are_held_back_before_anything_is_sent(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
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

    page.goto(bucket)

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


def test_an_object_with_another_name_says_so_in_every_state_and_the_record_of_the_upload_stays(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    page.goto(bucket)
    (tmp_path / "Übersicht.txt").write_text("1")
    (tmp_path / " two  spaces.txt").write_text("2")
    first, second = two_of_one_name(tmp_path)
    pick(page, tmp_path / "Übersicht.txt", tmp_path / " two  spaces.txt", first, second)
    total(page, "2 to decide")
    page.get_by_role("button", name="Upload as dup (1).txt").click()
    numbered = tray_row(page, "Will be stored as dup (1).txt")
    expect(numbered).to_have_count(1)
    page.get_by_role("button", name="Upload as Ubersicht.txt").click()
    expect(tray_row(page, "Will be stored as Ubersicht.txt")).to_contain_text("New")
    expect(tray_row(page, "␣two␣␣spaces.txt")).to_have_count(1)
    page.get_by_role("button", name="Upload 4 files").click()
    total(page, "4 of 4 stored")
    total(page, "4 verified")
    unfold(page)
    expect(tray_row(page, "Stored as Ubersicht.txt")).to_contain_text("Übersicht.txt")
    expect(tray_row(page, "Stored as dup (1).txt")).to_contain_text("Verified")
    expect(page.locator(".tray__key:not([hidden])")).to_have_count(2)
    accessible(page)
    page.get_by_role("link", name="Record").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Upload")
    stored = page.get_by_role("row", name="Übersicht.txt")
    expect(stored).to_contain_text("Ubersicht.txt")
    expect(stored).to_contain_text("c4ca4238a0b923820dcc509a6f75849b")
    expect(page.get_by_role("row", name="␣two␣␣spaces.txt").first).to_contain_text("Done")
    accessible(page)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Export as CSV").click()
    lines = list(csv.DictReader(saved.value.path().read_text().splitlines()))
    assert {(line["file"], line["object"]) for line in lines if line["outcome"] == "done"} == {
        ("Übersicht.txt", "Ubersicht.txt"),
        (" two  spaces.txt", " two  spaces.txt"),
        ("dup.txt", "dup.txt"),
        ("dup.txt", "dup (1).txt"),
    }


@contextmanager
def holding(page: Page, neighbour: Neighbour, bucket: str, role: str) -> Iterator[None]:
    """The owner holds another storage key until the end of the block, by a form that no browser draws."""
    space = urlsplit(bucket).path.split("/")[2]

    def store(key: str) -> None:
        form = page.request.get(f"/account/tokens/new/?kind=storage&space={space}")
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form.text()))
        made = page.request.post(form.url, form={**hidden, "token": key}, headers={"Referer": form.url})
        assert made.ok, made.text()

    store(neighbour.key(space, role))
    try:
        yield
    finally:
        store(neighbour.key(space, "service"))


def test_a_key_that_sees_nothing_opens_a_bucket_by_name_and_uploads_what_it_cannot_read_back(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    name = unquote(urlsplit(bucket).path.split("/")[3])
    with holding(page, neighbour, bucket, "inbox"):
        page.goto(urljoin(bucket, ".."))
        expect(page.get_by_text("This token may not see all buckets.")).to_be_visible()
        page.get_by_role("link", name="Open bucket by name").click()
        page.get_by_role("dialog").get_by_label("Name").fill(name)
        page.get_by_role("dialog").get_by_role("button", name="Open bucket").click()
        page.get_by_role("link", name="Open bucket", exact=True).click()
        expect(
            page.get_by_text("There may be none, or this token may not list them. You can still upload files.")
        ).to_be_visible()
        accessible(page)
        pick(page, *write(tmp_path, a__txt="one"))
        total(page, "1 of 1 stored")
        unfold(page)
        expect(tray_row(page, "a.txt")).to_contain_text("Stored")
        expect(tray_row(page, "a.txt")).to_contain_text("This token can't read it back.")
        assert neighbour.read(bucket, "a.txt") == b"one"
