"""The upload tray: names, the plan, limits, cancelling, leaving, waiting, what is left behind."""

import csv
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, Route, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, drop, pick, row, total, write
from tests.launch.visitor import PASSWORD

SLOW = {"offline": False, "latency": 0, "downloadThroughput": -1}
POLICY = "If a name is taken"


@pytest.fixture
def page(page: Page, bucket: str) -> Page:
    """One that shows the new bucket."""
    page.goto(bucket)
    return page


def sending(page: Page) -> list[str]:
    """The methods of what goes to the address of uploads, from now on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method) if "~upload/?" in request.url else None)
    return sent


def tray_row(page: Page, name: str) -> Locator:
    return page.locator(".tray__row", has_text=name)


def unfold(page: Page) -> None:
    page.locator(".tray__summary").click()


def large_file(folder: Path) -> Path:
    path = folder / "large.bin"
    with path.open("wb") as file:
        file.truncate(16 << 20)
    return path


def test_a_bad_name_is_refused_before_anything_is_sent_and_the_suggestion_taken(page: Page, tmp_path: Path) -> None:
    sent = sending(page)
    paths = [tmp_path / name for name in ("Übersicht.pdf", "a#b.txt", "~x", "good.txt")]
    for path in paths:
        path.write_text(path.name)
    drop(page, *paths)
    total(page, "3 to decide")
    expect(page.locator("[data-part=sentence]")).to_contain_text("Not sent yet: 1 to upload, 3 to decide.")
    accessible(page)
    page.get_by_role("button", name="Upload as Ubersicht.pdf").click()
    tray_row(page, "~x").get_by_role("button", name="Cancel").click()
    tray_row(page, "a#b.txt").get_by_role("button", name=re.compile("Upload as")).click()
    assert sent == []
    page.get_by_role("button", name="Upload 3 files").click()
    total(page, "3 of 3 stored")
    row(page, "Ubersicht.pdf")
    assert sent == ["PUT"] * 3


def test_a_plan_compares_with_the_bucket_and_takes_answers(page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path) -> None:
    paths = write(tmp_path, a__txt="1", b__txt="22", c__txt="333", d__txt="4444")
    for path in paths:
        neighbour.put(bucket, path.name, path.read_bytes())
    page.reload()
    sent = sending(page)
    write(tmp_path, b__txt="changed", c__txt="changed too", e__txt="new")
    pick(page, *paths, tmp_path / "e.txt")
    expect(page.locator("[data-part=sentence]")).to_contain_text("1 to upload, 2 to skip, 2 to decide")
    expect(tray_row(page, "b.txt")).to_contain_text("7 bytes here, 2 bytes in the bucket")
    accessible(page)
    page.get_by_role("button", name="Same size 2").click()
    expect(page.locator(".tray__row")).to_have_count(2)
    tray_row(page, "d.txt").get_by_role("button", name="Replace").click()
    page.get_by_role("button", name="Same size 2").click()
    page.get_by_label(POLICY).select_option("both")
    tray_row(page, "c.txt").get_by_role("button", name="Skip").click()
    tray_row(page, "a.txt").get_by_role("button", name="Skip").click()
    assert sent == []
    page.get_by_role("button", name="Upload 3 files").click()
    total(page, "3 of 3 stored")
    total(page, "2 skipped")
    for name in ("a.txt", "b.txt", "b (1).txt", "c.txt", "d.txt", "e.txt"):
        row(page, name)
    assert sent == ["PUT"] * 3


def test_a_file_with_a_taken_name_goes_on_with_its_answer(page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path) -> None:
    neighbour.put(bucket, "a.txt", b"of another")
    page.reload()
    for how, name in (("Keep both", "a (1).txt"), ("Replace", "a.txt")):
        (tmp_path / "a.txt").write_text(how)
        pick(page, tmp_path / "a.txt")
        total(page, "1 to decide")
        tray_row(page, "Different").get_by_role("button", name=how).click()
        expect(page.locator("[data-part=total]")).not_to_contain_text("to decide")
        row(page, name)


def test_the_limits_of_a_bucket_are_known_beforehand_and_named(page: Page, tmp_path: Path) -> None:
    page.evaluate("document.querySelector('[data-uploads]').dataset.limit = '4'")
    page.evaluate("document.querySelector('[data-uploads]').dataset.types = 'text/*, image/png'")
    sent = sending(page)
    pick(page, *write(tmp_path, large__txt="12345", program__exe="1"))
    total(page, "2 not uploaded")
    expect(page.locator("[data-part=news]")).to_have_text("Upload finished: 2 not uploaded.")
    expect(tray_row(page, "large.txt")).to_contain_text("The bucket allows at most 4 bytes per file; this one is 5 bytes")
    expect(tray_row(page, "program.exe")).to_contain_text("The bucket allows only text/*, image/png")
    assert sent == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Export not uploaded").click()
    told = list(csv.DictReader(download.value.path().read_text().splitlines()))
    assert [(line["file"], line["state"]) for line in told] == [("large.txt", "refused"), ("program.exe", "refused")]


def test_a_folder_keeps_its_structure_and_leaves_what_systems_write(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "trip"
    (folder / "empty").mkdir(parents=True)
    (folder / "deep" / "er").mkdir(parents=True)
    for name in ("a.txt", "deep/er/b.txt", "zero.bin", ".DS_Store", "deep/.DS_Store", "deep/Thumbs.db"):
        (folder / name).write_text("" if name == "zero.bin" else name)
    drop(page, folder)
    total(page, "4 of 4 stored")
    total(page, "4 verified")
    unfold(page)
    expect(page.locator("[data-part=left]")).to_contain_text(".DS_Store (2 times), Thumbs.db")
    page.get_by_role("link", name="trip").click()
    for name in ("empty", "deep", "a.txt", "zero.bin"):
        row(page, name)


def test_only_the_failed_ones_are_retried(page: Page, neighbour: Neighbour, console: Console, tmp_path: Path) -> None:
    console.expect(502, "/~upload/")
    with neighbour.failing("S9", status=500, skip=1, times=2):
        pick(page, *write(tmp_path, a__txt="1", b__txt="2", c__txt="3", d__txt="4"))
        total(page, "2 of 4 stored")
        total(page, "2 not uploaded")
    expect(page.locator(".tray__row[data-state=failed]")).to_have_count(2)
    expect(page.locator(".tray__row[data-state=failed]").first).to_contain_text("The service failed")
    sent = sending(page)
    page.get_by_role("button", name="Retry 2 failed files").click()
    total(page, "4 of 4 stored")
    total(page, "4 verified")
    assert sent == ["PUT"] * 2


def test_who_was_signed_out_signs_in_beside_and_goes_on(page: Page, bucket: str, console: Console, tmp_path: Path) -> None:
    console.expect(401, "/~upload/")
    console.expect(401, "/~upload/plan/")
    names = ("a.txt", "b.txt", "ö.txt")
    for name in names:
        (tmp_path / name).write_text(name)
    pick(page, *(tmp_path / name for name in names))
    total(page, "1 to decide")
    page.context.clear_cookies(name=re.compile("session"))
    page.get_by_role("button", name="Upload 2 files").click()
    expect(tray_row(page, "a.txt")).to_contain_text("Signed out. Continues once you are signed in again.")
    expect(page.get_by_role("alert")).to_contain_text("You are signed out.")
    expect(page.locator(".tray__title")).to_have_text("Signed out")
    accessible(page)
    pick(page, *write(tmp_path, c__txt="c"))
    expect(tray_row(page, "c.txt")).to_contain_text("Comparing")
    sign_in_beside(page, bucket)
    total(page, "2 of 4 stored")
    page.get_by_role("button", name="Upload as o.txt").wait_for()
    page.get_by_role("button", name="Upload 1 file").click()
    total(page, "3 of 4 stored")
    row(page, "c.txt")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_session_that_ends_during_an_upload_pauses_it_and_the_list_until_the_same_person_is_back(
    page: Page, bucket: str, console: Console, tmp_path: Path
) -> None:
    console.expect(401, "/~upload/")
    begun: list[str] = []

    def send(route: Route) -> None:
        begun.append(route.request.url)
        if len(begun) == 4:
            page.context.clear_cookies(name=re.compile("session"))
        route.continue_()

    page.route("**/~upload/?*", send)
    pick(page, *write(tmp_path, **{f"{number}__txt": str(number) for number in range(8)}))
    expect(page.locator(".tray__title")).to_have_text("Signed out")
    page.unroute("**/~upload/?*")
    # Somebody else's page: nothing of this person's is sent in their name.
    page.route("**/~upload/", lambda route: route.fulfill(body="<body data-person=0><input name=csrfmiddlewaretoken value=x>"))
    with page.expect_response("**/~upload/"):
        page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator(".tray__title")).to_have_text("Signed out")
    page.unroute("**/~upload/")
    sign_in_beside(page, bucket)
    total(page, "8 of 8 stored")
    total(page, "8 verified")
    for number in range(8):
        row(page, f"{number}.txt")


def sign_in_beside(page: Page, address: str) -> None:
    """In another tab of the same browser."""
    beside = page.context.new_page()
    beside.goto(address)
    beside.get_by_label("E-mail address").fill("owner@localhost")
    beside.get_by_label("Password").fill(PASSWORD)
    beside.get_by_role("button", name="Sign in", exact=True).click()
    row(beside, "Upload files")


def check_now(page: Page) -> None:
    """Settle the only write of unknown outcome, unless the worker was faster."""
    page.reload()
    if address := page.evaluate("document.querySelector('.unsettled a')?.href"):
        page.goto(address)
        expect(page.locator("main")).to_contain_text("Done.")


def test_an_upload_without_an_answer_is_settled_by_reading_back_at_once(
    page: Page, bucket: str, neighbour: Neighbour, tmp_path: Path
) -> None:
    sent = sending(page)
    with neighbour.failing("S9", cut="after", times=1):
        pick(page, *write(tmp_path, a__txt="1"))
        total(page, "1 of 1 stored")
        total(page, "1 verified")
    assert neighbour.read(bucket, "a.txt") == b"1"
    assert sent == ["PUT"]


def test_an_upload_without_an_answer_is_settled_by_reading_back_later(
    page: Page, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(504, "/~upload/")
    sent = sending(page)
    with ExitStack() as unreadable:

        def readable_again(route: Route) -> None:
            unreadable.close()
            route.continue_()

        page.route("**/~upload/check/", readable_again, times=1)
        unreadable.enter_context(neighbour.failing("S19", status=500))
        unreadable.enter_context(neighbour.failing("S9", cut="after", times=1))
        pick(page, *write(tmp_path, a__txt="1"))
        total(page, "1 of 1 stored")
    unfold(page)
    expect(tray_row(page, "a.txt")).to_contain_text("No answer came back. The file is stored")
    assert sent == ["PUT"]
    check_now(page)


def test_an_upload_without_an_answer_that_is_not_there_yet_is_unknown_for_two_minutes(
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    console.expect(504, "/~upload/")
    page.clock.install()
    page.reload()
    with neighbour.failing("S9", html=True, times=1):
        pick(page, *write(tmp_path, b__txt="1"))
        expect(tray_row(page, "b.txt")).to_contain_text(
            re.compile(r"The service answered 502. Not stored as of [\d:]+.*checking again")
        )
    for _ in range(2):
        # The answer to each question comes in real time; once the row shows it, the next one is due.
        before = tray_row(page, "b.txt").inner_text()
        with page.expect_response("**/~upload/check/"):
            page.clock.fast_forward("01:05")
        expect(tray_row(page, "b.txt")).not_to_have_text(before, use_inner_text=True)
    expect(tray_row(page, "b.txt")).to_contain_text("The service answered 502. This file was not stored as of")
    total(page, "1 not uploaded")
    neighbour.put(bucket, "b.txt", b"1")
    check_now(page)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("names", "words"), [(["b.txt"], "1 change in doubt"), (["b.txt", "c.txt"], "2 changes in doubt")])
def test_changes_in_doubt_take_one_line_of_40_pixels(  # noqa: PLR0917 - pytest fills them by name
    page: Page, bucket: str, neighbour: Neighbour, console: Console, tmp_path: Path, names: list[str], words: str
) -> None:
    console.expect(504, "/~upload/")
    with neighbour.failing("S9", cut="before", times=len(names)):
        pick(page, *write(tmp_path, **{name.replace(".", "__"): "1" for name in names}))
        for name in names:
            expect(tray_row(page, name)).to_contain_text("No answer came back.")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        line = page.locator("#unsettled")
        expect(line).to_contain_text(words)
        box = line.bounding_box()
        assert box
        assert box["height"] <= 40
    for name in names:
        neighbour.put(bucket, name, b"1")
    doubts = page.evaluate("new URL('/jobs/doubts/', location.href).href")
    page.goto(doubts)
    while address := page.evaluate("document.querySelector('#doubts a[href*=\"/outcomes/\"]')?.href"):
        page.goto(address)
        expect(page.locator("main")).to_contain_text("Done.")
        page.goto(doubts)


def test_a_large_upload_can_be_cancelled_and_taken_up_again(page: Page, tmp_path: Path) -> None:
    large = large_file(tmp_path)
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", {**SLOW, "uploadThroughput": 8 << 20})
    pick(page, large)
    expect(page.locator(".tray__row[data-state=sending]")).to_be_visible()
    page.locator(".tray__row").get_by_role("button", name="Cancel").click()
    expect(page.locator(".tray__state")).to_have_text("Cancelled")
    total(page, "1 cancelled")
    page.reload()
    expect(page.get_by_text("This bucket is empty")).to_be_visible()
    pick(page, large)
    total(page, "1 of 1 stored", seconds=40)


def test_what_was_sent_in_full_is_not_called_cancelled(page: Page, neighbour: Neighbour, tmp_path: Path) -> None:
    with neighbour.failing("S9", delay=3):
        pick(page, *write(tmp_path, a__txt="1"))
        expect(page.locator(".tray__row[data-state=storing]")).to_be_visible()
        expect(page.locator("[data-pending=storing]")).to_be_visible()
        # Not waited for: once it is stored, nothing could be cancelled anyway.
        assert page.get_by_role("button", name="Cancel").count() == 0
        assert page.locator(".tray__row[data-state=storing]").is_visible()
        total(page, "1 of 1 stored")
    expect(page.get_by_role("link", name="a.txt")).to_be_visible()


def test_leaving_while_something_is_under_way_is_asked_about(page: Page, tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", {**SLOW, "uploadThroughput": 2 << 20})
    pick(page, large_file(tmp_path))
    expect(page.locator(".tray__row[data-state=sending]")).to_be_visible()
    page.goto("/links/")
    assert asked == ["beforeunload"]


def test_a_full_house_is_waited_for(page: Page, console: Console, tmp_path: Path) -> None:
    console.expect(503, "/~upload/")
    answers = iter(['{"title": "All places are taken.", "text": "", "retry_after": 4}'])

    def busy_once(route: Route) -> None:
        body = next(answers, None)
        if body is None:
            route.continue_()
        else:
            route.fulfill(status=503, headers={"Retry-After": "4"}, content_type="application/json", body=body)

    page.route("**/~upload/?*", busy_once)
    pick(page, *write(tmp_path, a__txt="1"))
    expect(page.locator(".tray__detail")).to_contain_text("All places are taken. Next try in 4 s")
    total(page, "1 of 1 stored")


def test_what_was_stored_is_handed_on_to_links_and_the_next_upload_is_counted_anew(page: Page, tmp_path: Path) -> None:
    pick(page, *write(tmp_path, a__txt="1", b__txt="22"))
    total(page, "2 of 2 stored · 3 bytes of 3 bytes sent · 2 verified")
    page.locator("upload-tray form").get_by_role("button", name="Share", exact=True).click()
    page.locator("dialog").get_by_role("link", name="Signed link").click()
    expect(page.get_by_role("group", name="When opened")).to_be_visible()
    expect(page.get_by_role("heading", name="Share 2 objects")).to_be_visible()
    page.keyboard.press("Escape")
    pick(page, *write(tmp_path, c__txt="333"))
    total(page, "1 of 1 stored · 3 bytes of 3 bytes sent · 1 verified")
    unfold(page)
    expect(page.locator("upload-rows li")).to_have_count(3)
    page.get_by_role("button", name="Clear the list").click()
    expect(page.locator("upload-rows li")).to_have_count(0)


def test_a_limit_on_requests_pauses_the_files_that_wait_too(
    page: Page, neighbour: Neighbour, console: Console, tmp_path: Path
) -> None:
    """Three files are under way at once: the service refuses those, and is asked for no other before the time it named."""
    console.expect(429, "/~upload/")
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status == 429 else None)
    with neighbour.failing("S9", status=429, retry_after=10):
        pick(page, *write(tmp_path, **{f"file_{number}__txt": str(number) for number in range(12)}))
        expect(page.locator("upload-rows li").filter(has_text="Next try in")).to_have_count(3)
        page.wait_for_timeout(1500)
        assert len(refused) == 3
    total(page, "12 of 12 stored", seconds=40)
