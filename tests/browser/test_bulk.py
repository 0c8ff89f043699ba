"""Renaming, moving and emptying, as somebody does it."""

from urllib.parse import unquote

from playwright.sync_api import Page, expect

from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, row

SOON = 30_000


def verb(bucket: str, name: str, **query: str) -> str:
    return f"{bucket}~bulk/{name}/" + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


def test_a_folder_is_renamed(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for key in ("old/a.txt", "old/b.txt"):
        neighbour.put(bucket, key, b"a")
    page.goto(verb(bucket, "rename", folder="old/"))
    field = page.get_by_label("New name")
    expect(field).to_have_value("old")
    accessible(page)
    field.fill("new")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("#notices")).to_contain_text("Show job")
    page.goto("/jobs/")
    page.get_by_role("link", name="Rename old/ to new/").first.click()
    expect(page.locator(".job__state")).to_contain_text("Done", timeout=SOON)
    page.goto(f"{bucket}?path=new/")
    row(page, "a.txt")
    row(page, "b.txt")
    page.goto(bucket)
    expect(page.get_by_role("link", name="old", exact=True)).to_have_count(0)


def test_a_move_keeps_both_where_a_name_is_taken(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for key in ("there/a.txt", "here/a.txt", "here/b.txt"):
        neighbour.put(bucket, key, key.encode())
    page.goto(f"{bucket}?path=here/")
    page.get_by_role("checkbox", name="Select a.txt").check()
    page.get_by_role("checkbox", name="Select b.txt").check()
    page.get_by_role("button", name="Move", exact=True).click()
    dialog = page.locator("dialog")
    expect(dialog.get_by_role("heading", name="Move 2 objects")).to_be_visible()
    dialog.get_by_role("button", name="Bucket root").click()
    dialog.get_by_role("button", name="there", exact=True).click()
    expect(dialog.get_by_label("Folder empty for")).to_have_value("there/")
    accessible(page)
    dialog.get_by_role("button", name="Move here").click()
    expect(dialog).to_be_hidden()
    page.goto("/jobs/")
    page.get_by_role("link", name="Move 2 objects to there/").first.click()
    expect(page.get_by_role("heading", name="Review: nothing has changed yet")).to_be_visible(timeout=SOON)
    accessible(page)
    page.get_by_label("Keep both").check()
    page.get_by_role("button", name="Move them").click()
    expect(page.locator("main")).to_contain_text("2 of 2", timeout=SOON)
    page.goto(f"{bucket}?path=there/")
    for name in ("a.txt", "a (1).txt", "b.txt"):
        row(page, name)


def test_a_bucket_is_emptied_and_deleted(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.put(bucket, "some/a.txt", b"a")
    name = unquote(bucket.rstrip("/").rpartition("/")[2])
    page.goto(verb(bucket, "removal"))
    expect(page.locator("main")).to_contain_text(f"{name} holds 1 object")
    accessible(page)
    page.locator("input[name=typed]").fill(name)
    page.get_by_role("button", name=f"Delete {name}").click()
    page.get_by_role("link", name="Show job").click()
    expect(page.locator("main")).to_contain_text("3 of 3", timeout=SOON)
    expect(page.locator("main")).to_contain_text("Verify that the bucket is empty")
    page.goto(bucket.rstrip("/").rpartition("/")[0] + "/")
    expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)
