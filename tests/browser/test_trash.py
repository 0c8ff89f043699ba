"""Delete files, and bring them back."""

from pathlib import Path
from urllib.parse import unquote

from playwright.sync_api import Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, pick, row, total, write
from tests.browser.test_uploads import POLICY, tray_row, unfold

SOON = 30_000


def test_a_deletion_is_undone(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"a")
    page.goto(bucket)
    for name in ("a.txt", "b.txt"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("Kept for 30 days in the trash (2 bytes).")
    expect(dialog.get_by_label("Delete without keeping")).not_to_be_checked()
    accessible(page)
    dialog.get_by_role("button", name="Delete 2 objects").click()
    expect(page.get_by_role("checkbox", name="Select a.txt")).to_have_count(0)
    page.locator("#notices").get_by_role("link", name="Undo").click()
    expect(page.get_by_role("checkbox", name="Select a.txt")).to_be_visible(timeout=SOON)
    row(page, "b.txt")


def test_a_folder_comes_back_from_the_trash(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.put(bucket, "old/a.txt", b"a")
    page.goto(f"{bucket}~bulk/deletion/?folder=old/")
    page.locator("input[name=typed]").fill("old")
    page.get_by_role("button", name="Delete 1 object").click()
    expect(page.locator("#notices")).to_contain_text("Delete old/")
    page.goto(f"{bucket}~snapshots/trash/")
    deleted = page.get_by_role("link", name="old/a.txt", exact=True)
    expect(deleted).to_be_visible(timeout=SOON)
    accessible(page)
    page.get_by_role("link", name="Restore old/a.txt").click()
    page.locator("dialog").get_by_role("button", name="Restore").click()
    expect(page.locator("dialog")).to_be_hidden()
    page.goto(f"{bucket}?path=old/")
    expect(page.get_by_role("checkbox", name="Select a.txt")).to_be_visible(timeout=SOON)


def test_what_an_upload_replaces_is_kept(page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"a")
    page.goto(bucket)
    pick(page, *write(tmp_path, a__txt="newer", b__txt="newer"))
    total(page, "2 to decide")
    page.get_by_label(POLICY).select_option(label="Replace the object, and keep it for 30 days")
    expect(page.get_by_role("button", name="Replace without keeping")).to_have_count(0)
    page.get_by_role("button", name="Upload 2 files").click()
    total(page, "2 of 2 stored")
    unfold(page)
    accessible(page)
    page.locator("upload-tray").get_by_role("link", name="Trash").click()
    expect(page.get_by_role("cell", name="Replaced").first).to_be_visible()
    expect(page.get_by_role("link", name="Restore").first).to_be_visible()


def test_what_an_upload_can_not_keep_is_replaced_only_by_an_answer_for_it(
    page: Page, bucket: str, console: Console, neighbour: Neighbour, tmp_path: Path
) -> None:
    console.expect(422, "/~upload/")
    neighbour.put(bucket, "a.txt", b"a")
    page.goto(bucket)
    refusal = {"title": "Not replaced. It could not be kept.", "text": "", "retry_after": None}
    page.route("**/~upload/?*", lambda route: route.fulfill(status=422, headers={"X-Problem": "NotKept"}, json=refusal), times=1)
    pick(page, *write(tmp_path, a__txt="newer"))
    total(page, "1 to decide")
    page.get_by_label(POLICY).select_option("replace")
    page.get_by_role("button", name="Upload 1 file").click()
    held = tray_row(page, "Different")
    expect(held).to_contain_text("Not replaced. It could not be kept.")
    total(page, "1 to decide")
    assert neighbour.read(bucket, "a.txt") == b"a"
    accessible(page)
    held.get_by_role("button", name="Replace without keeping").click()
    total(page, "1 of 1 stored")
    assert neighbour.read(bucket, "a.txt") == b"newer"
    page.goto(f"{bucket}~snapshots/trash/")
    expect(page.get_by_text("Nothing in the trash")).to_be_visible()


def test_an_emptied_bucket_is_undone(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"a")
    page.goto(f"{bucket}~bulk/emptying/")
    main, name = page.locator("main"), unquote(bucket.rstrip("/").rpartition("/")[2])
    expect(main).to_contain_text("Copies 2 bytes to the trash first")
    expect(main.get_by_label("Delete without keeping")).not_to_be_checked()
    accessible(page)
    page.locator("input[name=typed]").fill(name)
    page.get_by_role("button", name=f"Empty {name}").click()
    page.locator("#notices").get_by_role("link", name="Undo").click(timeout=SOON)
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("heading", name="Restore 2 objects")).to_have_count(0)
    page.goto(bucket)
    expect(page.get_by_role("checkbox", name="Select a.txt")).to_be_visible(timeout=SOON)
    row(page, "b.txt")
