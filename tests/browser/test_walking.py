"""Ways through the object browser: choosing, one row's actions, going to a path, and all of it by keys."""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, keep_scrolling


def entry(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=name, exact=True)


def test_folders_are_selected_too_and_a_selection_outlives_sorting_and_walking(
    page: Page, bucket: str, neighbour: Neighbour
) -> None:
    for key, content in (("inner/x.txt", b"1"), ("a.txt", b"1"), ("b.txt", b"22")):
        neighbour.put(bucket, key, content)
    page.goto(bucket)
    chosen = page.locator("[data-selected]")
    page.get_by_label("Select inner").check()
    expect(chosen).to_have_text("1 folder selected")
    page.get_by_label("Select a.txt").click(modifiers=["Shift"])
    expect(chosen).to_have_text("2 selected, one of them a folder, 1 byte in objects")
    page.get_by_role("link", name="Changed").click()
    expect(page).to_have_url(re.compile("sort=-updated"))
    expect(page.get_by_label("Select inner")).to_be_checked()
    page.get_by_role("link", name="inner", exact=True).click()
    page.get_by_label("Select x.txt").check()
    expect(chosen).to_have_text("3 selected, one of them a folder, 2 bytes in objects, 2 not in this list")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 object and 1 folder")  # x.txt lies in the folder that is chosen
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".selection")).to_be_hidden()


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", ["scroll", "click", "Enter"])
def test_more_rows_join_every_list_of_objects_and_what_is_selected_stays(
    page: Page, bucket: str, neighbour: Neighbour, how: str
) -> None:
    neighbour.fill(bucket, "in", [f"{number:03}.txt" for number in range(130)], size=1)
    page.goto(f"{bucket}~search/")
    page.get_by_role("button", name="Count and make searchable").click()
    expect(page.get_by_text("As of")).to_be_visible()
    if how != "scroll":
        page.add_init_script("window.IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} };")
    for place in ("?path=in%2F", "?path=in%2F&view=grid", "~search/?q=path%3Ain"):
        page.goto(bucket + place)
        page.get_by_role("checkbox", name="000.txt").check()
        more = page.get_by_role("link", name="Show more")
        match how:
            case "scroll":
                keep_scrolling(page, 130)
            case "click":
                more.click()
            case _:
                more.press("Enter")
        expect(page.locator("input[name=key]")).to_have_count(130)
        expect(page.locator(".more:visible")).to_have_count(0)
        expect(page.get_by_role("checkbox", name="000.txt")).to_be_checked()
        expect(page.locator("[data-selected]")).to_have_text("1 selected, 1 byte")
        assert page.url == bucket + place
        page.get_by_role("button", name="Clear", exact=True).click()


def test_unticking_one_row_of_everything_leaves_the_others_that_are_shown(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.fill(bucket, "in", [f"{number:03}.txt" for number in range(130)], size=1)
    page.add_init_script("window.IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} };")
    page.goto(f"{bucket}?path=in%2F")
    page.get_by_label("Select 000.txt").check()
    page.get_by_label("Everything in this folder").check()
    expect(page.locator("[data-selected]")).to_have_text("Everything in this folder: selected")
    page.get_by_label("Select 050.txt").uncheck()
    expect(page.get_by_label("Everything in this folder")).not_to_be_checked()
    expect(page.locator("[data-selected]")).to_have_text("99 selected, 99 bytes")
    with page.expect_request(lambda sent: sent.method == "POST") as sent:
        page.locator(".selection").get_by_role("button", name="Copy").click()
    posted = parse_qs(sent.value.post_data or "")
    assert "folder" not in posted
    assert posted["key"] == [f"in/{number:03}.txt" for number in range(100) if number != 50]


def test_one_menu_serves_every_row(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for key in ("inner/x.txt", "a.txt"):
        neighbour.put(bucket, key, b"1")
    page.goto(bucket)
    page.get_by_label("Actions inner").click()
    menu = page.locator("#row-menu")
    expect(menu).to_contain_text("inner")
    expect(menu.get_by_role("button", name="Download as ZIP")).to_be_visible()
    expect(menu.get_by_role("button", name="Download", exact=True)).to_be_hidden()
    page.keyboard.press("Escape")
    page.get_by_label("Actions a.txt").click()
    expect(menu.get_by_role("button", name="Download", exact=True)).to_be_visible()
    accessible(page)
    menu.get_by_role("button", name="Share").click()
    expect(page.get_by_label("The link works for")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_label("Actions a.txt").click()
    menu.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("dialog")).to_contain_text("a.txt")


def test_a_path_or_an_address_leads_there(page: Page, bucket: str, neighbour: Neighbour, console: Console) -> None:
    console.expect(422, "/~path/")
    neighbour.put(bucket, "inner/x.txt", b"1")
    page.goto(bucket)
    page.keyboard.press("p")
    field = page.get_by_label("or an object's address")
    expect(field).to_be_focused()
    field.press_sequentially("in")
    expect(page.locator("#path-offers option")).to_have_attribute("value", "inner/")
    field.fill("nowhere")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Nothing found.")
    accessible(page)
    field.fill("inner/x.txt")
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel-title]")).to_have_text("x.txt")
    expect(page).to_have_url(re.compile(r"path=inner%2F&open=inner%2Fx\.txt"))


def test_a_request_that_a_newer_one_replaces_is_no_error_on_the_console(page: Page, bucket: str, neighbour: Neighbour) -> None:
    page.goto(bucket)
    page.keyboard.press("p")
    field = page.get_by_label("or an object's address")
    expect(field).to_be_focused()
    with neighbour.failing("S13", delay=3), page.expect_event("requestfailed"):
        for letter in "in":
            with page.expect_request("**/~path/offers/"):
                field.press_sequentially(letter)


def dialogs_by_keyboard(page: Page) -> None:
    page.keyboard.press("End")
    page.keyboard.press("Delete")
    expect(page.get_by_role("heading", name="Delete b.txt")).to_be_visible()
    page.keyboard.press("Escape")
    expect(entry(page, "b.txt")).to_be_focused()
    page.keyboard.press("F2")
    expect(page.get_by_role("dialog")).to_contain_text("b.txt")
    page.keyboard.press("Escape")
    page.keyboard.press(".")
    expect(page.locator("#row-menu")).to_be_visible()
    page.keyboard.press("Escape")
    entry(page, "b.txt").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    accessible(page)
    page.keyboard.press("Escape")
    expect(entry(page, "b.txt")).to_be_focused()


def test_focus_that_moved_on_before_the_dialog_told_its_end_stays(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    page.locator("#main").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog")).to_contain_text("Copy 2 objects")
    focused = page.evaluate("""async () => {
      const dialog = document.querySelector("dialog[open]");
      const ended = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
      dialog.close();
      document.querySelector("[data-rows] th a").focus();
      await ended;
      return document.activeElement.matches("[data-rows] th a");
    }""")
    assert focused


def filter_and_path_by_keyboard(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("in")
    expect(page.locator("#objects-count")).to_contain_text("1 entry")
    page.keyboard.press("Tab")
    expect(page).to_have_url(re.compile(r"\?search=in$"))
    page.keyboard.press("Escape")
    expect(page.locator("#objects-count")).to_have_text("3 entries")
    expect(page).not_to_have_url(re.compile("search="))
    page.locator("#main").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog")).to_contain_text("Copy 2 objects and 1 folder")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator(".selection")).to_be_hidden()
    expect(page.locator("[data-rows] a:focus")).to_have_count(1)
    page.keyboard.press("p")
    page.keyboard.type("inner")
    page.keyboard.press("Enter")
    expect(entry(page, "x.txt")).to_be_focused()


def test_the_whole_way_goes_by_keyboard(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for key in ("inner/x.txt", "inner/y.txt", "a.txt", "b.txt"):
        neighbour.put(bucket, key, b"1")
    page.goto(bucket)
    chosen = page.locator("[data-selected]")
    page.keyboard.press("j")
    expect(entry(page, "inner")).to_be_focused()
    page.keyboard.press("Enter")
    expect(entry(page, "x.txt")).to_be_focused()
    page.keyboard.press("Backspace")
    expect(entry(page, "inner")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(chosen).to_have_text("1 selected, 1 byte")
    page.keyboard.press("Shift+ArrowDown")
    expect(entry(page, "b.txt")).to_be_focused()
    expect(chosen).to_have_text("2 selected, 2 bytes")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+Space")
    expect(chosen).to_have_text("3 selected, one of them a folder, 2 bytes in objects")
    page.keyboard.press("Escape")
    expect(page.locator(".selection")).to_be_hidden()
    page.keyboard.press("Control+a")
    expect(chosen).to_contain_text("3 selected")
    page.keyboard.press("Escape")
    dialogs_by_keyboard(page)
    filter_and_path_by_keyboard(page)


def test_shortcuts_of_one_character_can_be_switched_off(page: Page, bucket: str) -> None:
    page.goto(bucket)
    page.keyboard.press("?")
    switch = page.get_by_role("switch", name="Single-key shortcuts")
    expect(switch).to_be_checked()
    switch.press("Space")
    accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    for key in "?/pu":
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("[data-search]")).not_to_be_focused()
    expect(page.locator("[data-path-box][open]")).to_have_count(0)
    page.goto("/")
    expect(page.locator(".search__key")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("[data-search]")).not_to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Search")).to_be_visible()
    page.goto(bucket)
    opener = page.get_by_role("button", name="Your menu")
    opener.click()
    page.get_by_role("link", name="Keyboard shortcuts").or_(page.get_by_role("menuitem", name="Keyboard shortcuts")).click()
    expect(switch).not_to_be_checked()
    switch.check()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("[data-search]")).to_be_focused()


def test_after_a_folder_that_is_gone_keys_and_back_work(page: Page, bucket: str) -> None:
    page.goto(bucket)
    page.goto(f"{bucket}?path=gone/")
    expect(page.get_by_role("heading", level=1, name="gone")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_hidden()
    page.go_back()
    expect(page).to_have_url(re.compile(re.escape(bucket) + "$"))


def test_a_tab_that_outlives_the_session_signs_in_again_and_goes_on(page: Page, bucket: str) -> None:
    page.goto(bucket)
    page.context.clear_cookies()
    page.get_by_role("button", name="New folder").or_(page.get_by_role("link", name="New folder")).first.click()
    expect(page).to_have_url(re.compile(r"/account/login/\?next="))
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/account/login/\?next=|" + re.escape(bucket)))
    expect(page.locator("body")).to_be_visible()
