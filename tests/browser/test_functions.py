"""Deploy a function, change it, roll it back, and find every flag as it was; delete it and bring it back."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, three_ways

REF = "pwgxlsnvjtaeoqkdhbfm"
HOME = f"/projects/{REF}/functions/"
FIRST = "Deno.serve(() => new Response('first'));\n"
SECOND = "// The second one\nDeno.serve(() => new Response('second'));\n"


def fact(page: Page, name: str) -> str:
    row = page.locator(".facts__row").filter(has=page.locator("dt", has_text=re.compile(f"^{re.escape(name)}$")))
    return " ".join((row.locator("dd").text_content() or "").split())


def flags(page: Page, slug: str) -> dict[str, str]:
    page.goto(f"{HOME}{slug}/")
    return {name: fact(page, name) for name in ("Name", "JWT verification", "Import map", "Status")}


def deploy(page: Page, slug: str, text: str, *, name: str = "", note: str = "", check: bool = True) -> None:
    page.goto(f"{HOME}~new/")
    page.get_by_label("Slug").fill(slug)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Source text").fill(text)
    page.get_by_role("switch", name="Require a JWT").set_checked(check)
    page.get_by_role("button", name="Review deployment").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Review {slug}")
    page.get_by_label("Note").fill(note)
    page.get_by_role("button", name=f"Deploy {slug}").click()
    page.wait_for_url(f"**{HOME}{slug}/")


@pytest.mark.exhaustive
@three_ways
def test_deploy_change_and_roll_back_leave_every_flag_as_it_was(open_page: NewPage, options: dict[str, object]) -> None:
    page = open_page(**options)
    scripted = options.get("java_script_enabled", True)
    slug = f"journey-{uuid4().hex[:8]}"

    def look() -> None:
        if scripted:
            accessible(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    deploy(page, slug, FIRST, name="The journey", note="from nothing", check=False)
    expect(page.locator(".code__text")).to_contain_text("new Response('first')")
    look()
    before = flags(page, slug)
    assert before == {
        "Name": "The journey",
        "JWT verification": "Unprotected (verify_jwt: off)",
        "Import map": "off",
        "Status": "Active",
    }

    page.get_by_role("link", name="Edit source").click()
    expect(page.get_by_role("switch", name="Require a JWT")).not_to_be_checked()
    look()
    page.get_by_label("Source text").fill(SECOND)
    page.get_by_role("button", name="Review deployment").click()
    expect(page.locator(".difference")).to_contain_text("1 line removed, 2 added")
    look()
    page.get_by_role("button", name=f"Deploy {slug}").click()
    page.wait_for_url(f"**{HOME}{slug}/")
    expect(page.locator(".code__text")).to_contain_text("The second one")
    assert flags(page, slug) == before

    page.get_by_role("link", name="Versions").click()
    expect(page.get_by_role("row", name=re.compile("Version 2")).first).to_contain_text("Live")
    look()
    page.get_by_role("button", name="Compare versions").click()
    expect(page.locator(".difference")).to_contain_text("1 line removed, 2 added")
    look()
    page.goto(f"{HOME}{slug}/versions/")
    page.get_by_role("button", name="Roll back to version 1").click()
    expect(page.get_by_text("Rolls back to version 1.")).to_be_visible()
    expect(page.locator(".difference")).to_contain_text("2 lines removed, 1 added")
    look()
    page.get_by_label("Note").fill("the second one broke")
    page.get_by_role("button", name=f"Roll back {slug} to version 1").click()
    page.wait_for_url(f"**{HOME}{slug}/")
    expect(page.locator(".code__text")).to_contain_text("new Response('first')")
    assert flags(page, slug) == before
    assert fact(page, "Version") == "3"
    page.goto(f"{HOME}{slug}/versions/")
    expect(page.get_by_text("Rolled back to version 1. the second one broke")).to_be_visible()
    page.goto(f"{HOME}{slug}/calls/")
    expect(page.get_by_text("without a credential")).to_be_visible()
    look()


def test_a_function_that_came_in_between_is_told_at_the_review_which_keeps_its_note(
    open_page: NewPage, neighbour: Neighbour, console: Console
) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    slug = f"journey-{uuid4().hex[:8]}"
    console.expect(409, f"/functions/{slug}/deployments/[0-9a-f-]+/")
    page.goto(f"{HOME}~new/")
    page.get_by_label("Slug").fill(slug)
    page.get_by_label("Source text").fill(SECOND)
    page.get_by_role("button", name="Review deployment").click()
    page.get_by_label("Note").fill("mine")
    neighbour.function(REF, slug, FIRST)
    page.get_by_role("button", name=f"Deploy {slug}").click()
    refused = page.locator("form [role=alert]")
    expect(refused).to_contain_text("Nothing was deployed: the function changed since this review was opened.")
    expect(refused).to_be_focused()
    expect(page.get_by_label("Note")).to_have_value("mine")
    expect(page.locator(".difference")).to_contain_text("1 line removed, 2 added")
    accessible(page)


def test_settings_ask_before_they_open_a_function_and_the_list_follows(
    open_page: NewPage, neighbour: Neighbour, console: Console
) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    slug = f"journey-{uuid4().hex[:8]}"
    console.expect(422, f"/functions/{slug}/settings/")
    neighbour.function(REF, slug, FIRST)
    page.goto(f"{HOME}?q={slug}")
    row = page.get_by_role("row", name=re.compile(slug))
    expect(row).to_contain_text("JWT verified")
    row.get_by_role("link", name="Settings").click()
    dialog = page.get_by_role("dialog", name=f"Settings of {slug}")
    expect(dialog).to_be_visible()
    accessible(page)
    dialog.get_by_role("switch", name="Require a JWT").uncheck()
    dialog.get_by_role("button", name="Save settings").click()
    dialog.get_by_label("Make it public").check()
    accessible(page)
    dialog.get_by_role("button", name=f"Make {slug} public").click()
    expect(dialog).to_be_hidden()
    expect(row).to_contain_text("Unprotected")
    page.get_by_label("Protection").select_option("unprotected")
    page.wait_for_url("**show=unprotected**")
    expect(row).to_be_visible()


def test_an_import_map_is_offered_for_a_bundle_alone_also_where_one_is_in_use(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    page.goto("/projects/ktmvqhzwrbnxpgaydcle/functions/print-label/deployments/")
    switch = page.locator("[name=import_map]")
    expect(switch).to_be_checked()
    expect(switch).to_be_hidden()


def test_a_deleted_bundle_comes_back_by_keyboard_alone(open_page: NewPage, tmp_path: Path) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    slug = f"journey-{uuid4().hex[:8]}"
    bundle = tmp_path / "packed.eszip"
    bundle.write_bytes(b"ESZIP2.3" + bytes(range(256)) * 9)
    page.goto(f"{HOME}~new/")
    page.get_by_label("Slug").fill(slug)
    expect(page.get_by_label("Entry point")).to_be_hidden()
    expect(page.get_by_role("switch", name="Import map")).to_be_hidden()
    page.get_by_label("Or a file").set_input_files(bundle)
    expect(page.get_by_label("Entry point")).to_be_visible()
    page.get_by_role("switch", name="Import map").check()
    page.get_by_role("button", name="Review deployment").press("Enter")
    page.get_by_role("button", name=f"Deploy {slug}").press("Enter")
    page.wait_for_url(f"**{HOME}{slug}/")
    before = flags(page, slug)
    with page.expect_download() as download:
        page.get_by_role("link", name=f"Download {slug}.eszip").press("Enter")
    assert download.value.suggested_filename == f"{slug}.eszip"
    assert Path(download.value.path()).read_bytes() == bundle.read_bytes()

    page.get_by_role("link", name="Delete", exact=True).press("Enter")
    dialog = page.get_by_role("dialog", name=f"Delete {slug}?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    accessible(page)
    dialog.get_by_role("textbox").press_sequentially(slug)
    dialog.get_by_role("textbox").press("Enter")
    page.wait_for_url(f"**{HOME}")
    page.locator(".notice").get_by_role("link", name="Kept versions").press("Enter")
    expect(page.get_by_text("Deleted, or your token can't see it")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Roll back to version 1").press("Enter")
    page.get_by_role("button", name=f"Roll back {slug} to version 1").press("Enter")
    page.wait_for_url(f"**{HOME}{slug}/")
    assert flags(page, slug) == before


def test_a_snippet_is_copied(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 1024, "height": 768}, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{HOME}track-parcel/calls/")
    page.get_by_label("Address of your functions").fill("http://10.1.2.3:9000")
    page.get_by_role("button", name="Use address").click()
    page.get_by_label("Call with curl").get_by_role("button", name="Copy snippet").click()
    expect(page.locator("#notices").get_by_text("Snippet copied")).to_be_visible()
    assert "http://10.1.2.3:9000/functions/v1/track-parcel" in page.evaluate("navigator.clipboard.readText()")


def test_the_live_source_is_edited_with_line_numbers_indenting_and_find(page: Page, neighbour: Neighbour) -> None:
    slug = f"journey-{uuid4().hex[:8]}"
    neighbour.function(REF, slug, "const one = 1;\nconst two = one + 1;\nDeno.serve(() => new Response(String(two)));\n")
    page.goto(f"{HOME}{slug}/")
    page.get_by_role("link", name="Edit source").click()
    field = page.get_by_label("Source text")
    expect(page.locator("[data-editor-lines]")).to_have_text("1\n2\n3\n4")
    accessible(page)

    def selected() -> str:
        return str(field.evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)"))

    field.evaluate("one => { one.focus(); one.setSelectionRange(0, 20); }")
    page.keyboard.press("Tab")
    expect(field).to_have_value(re.compile(r"^  const one = 1;\n  const two"))
    page.keyboard.press("Shift+Tab")
    expect(field).to_have_value(re.compile(r"^const one = 1;\nconst two"))
    page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value(re.compile(r"^  const one = 1;\n  const two"))
    field.evaluate("one => one.setSelectionRange(16, 16)")
    page.keyboard.press("Enter")
    page.keyboard.type("x")
    expect(field).to_have_value(re.compile(r"^  const one = 1;\n  x\n  const two"))
    expect(page.locator("[data-editor-lines]")).to_have_text("1\n2\n3\n4\n5")
    expect(page.locator("[data-editor-place]")).to_have_text("Line 2, column 4")

    page.keyboard.press("ControlOrMeta+f")
    page.keyboard.type("TWO")
    page.keyboard.press("Enter")
    expect(page.locator("[data-editor-count]")).to_have_text("1 of 2")
    assert selected() == "two"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("[data-editor-count]")).to_have_text("1 of 2")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("[data-editor-count]")).to_have_text("2 of 2")
    accessible(page)
    page.keyboard.press("Escape")
    expect(field).to_be_focused()
    assert selected() == "two"

    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(field).not_to_be_focused()
    page.get_by_role("button", name="Review deployment").click()
    expect(page.locator(".difference")).to_contain_text("2 lines removed, 3 added")
    page.get_by_role("link", name="Edit source").click()
    expect(field).to_have_value(re.compile(r"^  const one = 1;\n  x\n"))
