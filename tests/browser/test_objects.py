"""The object browser as people meet it: names, taken names, refusals, selection, keyboard, dark, phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, Route, expect

from tests.browser.conftest import Console, NewPage
from tests.browser.steps import accessible, drop, new_bucket, pick, total

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def page(open_page: NewPage) -> Page:
    return open_page(viewport={"width": 1280, "height": 800})


@pytest.fixture
def bucket(page: Page) -> str:
    return new_bucket(page)


def write(folder: Path, **files: str) -> list[Path]:
    paths = [folder / name.replace("__", ".") for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return paths


def row(page: Page, name: str) -> None:
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_an_empty_bucket_is_accessible_in_every_look(open_page: NewPage) -> None:
    first = open_page()
    address = new_bucket(first)
    for options in ({}, {"color_scheme": "dark"}, {"viewport": PHONE}, {"viewport": PHONE, "color_scheme": "dark"}):
        page = open_page(**options)
        page.goto(address)
        expect(page.get_by_text("This bucket is empty")).to_be_visible()
        accessible(page)


def test_a_bad_name_is_refused_before_anything_is_sent_and_the_suggestion_taken(page: Page, bucket: str, tmp_path: Path) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method) if "~upload/?" in request.url else None)
    paths = [tmp_path / name for name in ("Übersicht.pdf", "a#b.txt", "~x")]
    for path in paths:
        path.write_text(path.name)
    drop(page, *paths)
    total(page, "3 to decide")
    accessible(page)
    assert sent == []
    page.get_by_role("button", name="Upload as Ubersicht.pdf").click()
    total(page, "1 of 3 stored")
    row(page, "Ubersicht.pdf")
    page.locator(".tray__row", has_text="~x").get_by_role("button", name="Cancel").click()
    page.locator(".tray__row", has_text="a#b.txt").get_by_role("button", name=re.compile("Upload as")).click()
    total(page, "2 of 2 stored")
    assert sent == ["PUT", "PUT"]


def test_taken_names_are_asked_about_one_by_one_and_for_all(page: Page, bucket: str, tmp_path: Path) -> None:
    paths = write(tmp_path, a__txt="1", b__txt="2", c__txt="3")
    pick(page, *paths)
    total(page, "3 of 3 stored")
    page.get_by_role("button", name="Clear the list").click()
    pick(page, *paths)
    total(page, "3 to decide")
    page.locator(".tray__row", has_text="a.txt").get_by_role("button", name="Skip").click()
    page.locator(".tray__row", has_text="b.txt").get_by_role("button", name="Keep both").click()
    row(page, "b (1).txt")
    page.locator(".tray__row", has_text="c.txt").get_by_role("button", name="Replace").click()
    total(page, "2 of 2 stored")
    page.get_by_role("button", name="Clear the list").click()
    pick(page, *paths)
    total(page, "3 to decide")
    page.get_by_role("button", name="Keep both", exact=True).first.click()
    total(page, "3 of 3 stored")
    row(page, "a (1).txt")


def test_the_limits_of_a_bucket_are_known_beforehand(page: Page, bucket: str, console: Console, tmp_path: Path) -> None:
    page.evaluate("document.querySelector('[data-uploads]').dataset.limit = '4'")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "~upload" in request.url else None)
    pick(page, *write(tmp_path, large__txt="12345"))
    total(page, "1 not uploaded")
    expect(page.locator(".tray__row")).to_contain_text("at most 4 bytes a file")
    assert sent == []


def test_a_large_upload_can_be_cancelled_and_taken_up_again(page: Page, bucket: str, tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(16 << 20)
    page.context.new_cdp_session(page).send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 8 << 20},
    )
    pick(page, large)
    expect(page.locator(".tray__row[data-state=sending]")).to_be_visible()
    page.locator(".tray__row").get_by_role("button", name="Cancel").click()
    expect(page.locator(".tray__state")).to_have_text("Cancelled")
    page.reload()
    expect(page.get_by_text("This bucket is empty")).to_be_visible()
    pick(page, large)
    total(page, "1 of 1 stored", seconds=40)


def test_leaving_while_something_is_under_way_is_asked_about(page: Page, bucket: str, tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(16 << 20)
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 2 << 20}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    pick(page, large)
    expect(page.locator(".tray__row[data-state=sending]")).to_be_visible()
    page.goto("/storage/")
    assert asked == ["beforeunload"]


def test_a_full_house_is_waited_for(page: Page, bucket: str, console: Console, tmp_path: Path) -> None:
    console.expected.append("503")
    answers = iter(['{"title": "All places are taken.", "text": "", "retry_after": 1}'])

    def busy_once(route: Route) -> None:
        body = next(answers, None)
        if body is None:
            route.continue_()
        else:
            route.fulfill(status=503, headers={"Retry-After": "1"}, content_type="application/json", body=body)

    page.route("**/~upload/?*", busy_once)
    pick(page, *write(tmp_path, a__txt="1"))
    expect(page.locator(".tray__detail")).to_contain_text("All places are taken")
    total(page, "1 of 1 stored")


def test_thousands_of_files_do_not_drown_the_tray(page: Page, bucket: str, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1500):
        (folder / f"no#{number}.txt").touch()
    drop(page, folder)
    total(page, "1,500 to decide")
    assert page.locator(".tray__row").count() == 24
    expect(page.locator("[data-part=rest]")).to_have_text("and 1,476 more, counted above")


def test_a_selection_is_counted_and_deleted_after_its_number_was_typed(
    page: Page, bucket: str, console: Console, tmp_path: Path
) -> None:
    console.expected.append("422")
    pick(page, *write(tmp_path, a__txt="1", b__txt="22", c__txt="333", d__txt="4444"))
    total(page, "4 of 4 stored")
    page.goto(bucket)
    page.get_by_label("Select a.txt").check()
    page.get_by_label("Select c.txt").click(modifiers=["Shift"])
    expect(page.locator("[data-selected]")).to_have_text("3 selected, 6 bytes")
    accessible(page)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Delete 3 objects")).to_be_visible()
    accessible(page)
    page.get_by_label("Type 3 to go on").fill("2")
    page.get_by_role("button", name="Delete 3 objects").click()
    expect(page.locator("dialog")).to_contain_text("Nothing was done")
    page.get_by_label("Type 3 to go on").fill("3")
    page.get_by_role("button", name="Delete 3 objects").click()
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.get_by_label("Select a.txt")).to_have_count(0)
    row(page, "d.txt")


def test_everything_goes_by_keyboard(page: Page, bucket: str, tmp_path: Path) -> None:
    pick(page, *write(tmp_path, a__txt="1", b__txt="2"))
    total(page, "2 of 2 stored")
    page.goto(bucket)
    page.get_by_role("link", name="a.txt", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel-title]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-panel]")).to_have_count(0)
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel-title]")).to_be_focused()
    page.get_by_role("link", name="Delete").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_have_count(0)
    expect(page.locator("[data-panel]")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("zzz")
    expect(page.get_by_text("Nothing here begins with")).to_be_visible()


def test_a_folder_is_made_and_opened_without_losing_the_tray(page: Page, bucket: str, tmp_path: Path) -> None:
    pick(page, *write(tmp_path, a__txt="1"))
    total(page, "1 of 1 stored")
    page.get_by_role("link", name="New folder").click()
    page.get_by_label("Name of the folder").fill("inner")
    page.get_by_role("button", name="Add the folder").click()
    page.get_by_role("link", name="inner", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("inner")
    expect(page).to_have_title(re.compile("^inner"))
    expect(page.locator("[data-upload-tray]")).to_be_visible()
    pick(page, *write(tmp_path, b__txt="2"))
    row(page, "b.txt")
    page.go_back()
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_be_visible()


def test_on_a_phone_nothing_runs_over_the_edge(open_page: NewPage, tmp_path: Path) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    address = new_bucket(page)
    pick(page, *write(tmp_path, **{"a very long name that would not fit into any column of a phone, ever__txt": "1"}))
    total(page, "1 of 1 stored")
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("document.querySelector('.objects__table').scrollWidth") <= PHONE["width"]
    accessible(page)
    page.locator(".objects__entry").click()
    expect(page.locator("[data-panel-title]")).to_be_visible()
    accessible(page)
    page.get_by_role("link", name="Make a link").click()
    page.get_by_role("button", name="Make the link").click()
    expect(page.locator(".links__address")).to_be_visible()
    accessible(page)


def test_without_script_a_form_uploads_and_a_page_deletes(open_page: NewPage, tmp_path: Path) -> None:
    address = new_bucket(open_page())
    page = open_page(java_script_enabled=False)
    page.goto(address)
    page.get_by_role("link", name="Upload files").click()
    page.get_by_label("Files").set_input_files([str(path) for path in write(tmp_path, a__txt="1", b__txt="2")])
    page.get_by_role("button", name="Upload the files").click()
    row(page, "a.txt")
    page.get_by_label("Select a.txt").check()
    page.get_by_role("button", name="Delete").click()
    page.get_by_label("Type 1 to go on").fill("1")
    page.get_by_role("button", name="Delete 1 object").click()
    expect(page.get_by_role("link", name="a.txt", exact=True)).to_have_count(0)
    page.get_by_role("link", name="b.txt", exact=True).click()
    expect(page.get_by_role("heading", level=2, name="b.txt")).to_be_visible()
