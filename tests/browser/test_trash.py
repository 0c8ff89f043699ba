"""Delete files, and bring them back."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import accessible, pick, row, total, write

pytestmark = pytest.mark.browser

SOON = 30_000


def test_a_deletion_is_undone(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(bucket)
    pick(page, *write(tmp_path, a__txt="a", b__txt="b"))
    total(page, "2 of 2 stored")
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


def test_a_folder_comes_back_from_the_trash(page: Page, bucket: str, tmp_path: Path) -> None:
    page.goto(f"{bucket}?path=old/")
    pick(page, *write(tmp_path, a__txt="a"))
    total(page, "1 of 1 stored")
    page.goto(f"{bucket}~bulk/deletion/?folder=old/")
    page.locator("input[name=typed]").fill("1")
    page.get_by_role("button", name="Delete 1 object").click()
    page.goto(f"{bucket}~snapshots/trash/")
    deleted = page.get_by_role("link", name="old/a.txt", exact=True)
    expect(deleted).to_be_visible(timeout=SOON)
    accessible(page)
    page.get_by_role("link", name="Restore old/a.txt").click()
    page.locator("dialog").get_by_role("button", name="Restore").click()
    page.goto(f"{bucket}?path=old/")
    expect(page.get_by_role("checkbox", name="Select a.txt")).to_be_visible(timeout=SOON)
