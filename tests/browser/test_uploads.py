"""The upload tray: names, taken names, limits, cancelling, leaving, waiting, thousands."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, Route, expect

from tests.browser.conftest import Console
from tests.browser.steps import accessible, drop, pick, row, total, write

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


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
    page.locator(".tray__summary").click()
    page.get_by_role("button", name="Clear the list").click()
    pick(page, *paths)
    total(page, "3 to decide")
    page.locator(".tray__row", has_text="a.txt").get_by_role("button", name="Skip").click()
    page.locator(".tray__row", has_text="b.txt").get_by_role("button", name="Keep both").click()
    row(page, "b (1).txt")
    page.locator(".tray__row", has_text="c.txt").get_by_role("button", name="Replace").click()
    total(page, "2 of 2 stored")
    page.locator(".tray__summary").click()
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
