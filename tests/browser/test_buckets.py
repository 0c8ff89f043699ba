"""Make a bucket public and private again, seeing what strangers get; try to delete one that is not empty."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import SPACE, accessible, pick, total, write
from tests.browser.test_every_page import FITS, TOMORROW

OPEN = "Public Without a token, the service returned this file."
CLOSED = "Private Without a token, the service refused this file. Copies in caches or downloaded before remain."


def opened(page: Page, folder: Path) -> str:
    """A new bucket with a file in it, its name typed with what is said about it; the list of buckets is open then."""
    page.goto("/?view=storage")
    page.locator(".overview__name a").first.click()
    home = re.sub(r"\?.*", "", page.url)
    name = f"Switch_{uuid4().hex[:8]}"
    page.get_by_role("link", name="New bucket").first.click()
    field = page.locator("dialog input[name=name]")
    field.press_sequentially("sign")
    expect(page.locator("#name-advice")).to_contain_text("nothing could be uploaded")
    field.fill(name)
    expect(page.locator("#name-advice")).to_contain_text("may refuse upper case and “_”")
    expect(page.locator("#name-advice")).to_contain_text(f"/object/public/{name}/")
    accessible(page)
    page.locator("dialog button[type=submit]").click()
    expect(page.locator("dialog")).to_be_hidden()
    page.goto(f"{home}{name}/")
    pick(page, *write(folder, report__txt="hello"))
    total(page, "1 of 1")
    page.goto(f"{home}?q={name}")
    return name


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "options",
    [{"viewport": {"width": 1440, "height": 900}}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
    ids=["desk", "phone"],
)
def test_a_bucket_is_opened_to_everybody_and_closed_again(
    open_page: NewPage, console: Console, tmp_path: Path, options: dict[str, object]
) -> None:
    page = open_page(**options)
    name = opened(page, tmp_path)
    console.expect(422, f"/~edit/{name}/")
    page.get_by_role("button", name=f"More for {name}").click()
    page.get_by_role("link", name=f"Settings of {name}").click()
    dialog = page.locator("dialog")
    dialog.get_by_role("switch", name="Public bucket").check()
    dialog.get_by_role("button", name="Save settings").click()
    expect(dialog).to_contain_text("report.txt")
    expect(dialog).to_contain_text("Not counted: number and size are unknown")
    accessible(page)
    dialog.get_by_label("Make every object in it public").check()
    dialog.get_by_role("button", name=f"Make {name} public").click()
    expect(dialog.locator(".public-access .alert")).to_have_text(OPEN)
    accessible(page)
    expect(page.locator("#bucket-list")).to_contain_text("Public")
    address = dialog.get_by_text(f"/object/public/{name}/report.txt").first.text_content() or ""
    assert page.request.get(address.strip()).text() == "hello"
    dialog.get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name=f"More for {name}").click()
    page.get_by_role("link", name=f"Settings of {name}").click()
    expect(dialog).to_contain_text("cached copies remain for a while")
    dialog.get_by_role("switch", name="Public bucket").uncheck()
    dialog.get_by_role("button", name="Save settings").click()
    expect(dialog.locator(".public-access .alert")).to_have_text(CLOSED)
    assert page.request.get(address.strip()).status == 400


def test_a_bucket_that_is_not_empty_is_emptied_and_deleted_by_one_dialog(open_page: NewPage, tmp_path: Path) -> None:
    page = open_page()
    name = opened(page, tmp_path)
    page.get_by_role("button", name=f"More for {name}").click()
    page.get_by_role("link", name=f"Delete {name}").click()
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text(f"{name} holds 1 object")
    expect(dialog.get_by_role("heading", name=f"Delete {name}?")).to_be_visible()
    expect(dialog.get_by_role("list", name="Affected")).to_contain_text("report.txt")
    accessible(page)
    dialog.locator("input[name=typed]").fill(name)
    dialog.get_by_role("button", name=f"Delete {name}").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name=f"More for {name}")).to_have_count(0, timeout=20_000)


@pytest.mark.exhaustive
def test_the_list_fits_every_tablet_once_a_bucket_is_counted(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.fill(bucket, "photos", [f"image {number:02}.jpg" for number in range(20)], size=12_300_000)
    page.goto(f"{bucket}~search/")
    page.get_by_role("button", name="Count and make searchable").click()
    expect(page.locator("#search-state")).to_contain_text("As of", timeout=30_000)
    page.goto(re.sub(r"[^/]+/$", "", bucket))
    page.evaluate(TOMORROW)
    for width in range(700, 1100, 20):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(FITS)


def test_the_seconds_until_another_try_are_counted_down(page: Page, neighbour: Neighbour, console: Console) -> None:
    console.expect(422, "/~new/")
    page.goto(SPACE)
    page.get_by_role("link", name="New bucket").first.click()
    dialog = page.locator("dialog")
    dialog.locator("input[name=name]").fill(f"count-{uuid4().hex[:8]}")
    with neighbour.failing("S1", status=429, retry_after=4):
        dialog.locator("button[type=submit]").click()
        again = dialog.locator("time[data-in]")
        expect(again).to_have_text("in 2 s")
        accessible(page)
        expect(again).to_have_text("now")
        expect(dialog.get_by_text("Try again now.")).to_be_visible()
    dialog.locator("button[type=submit]").click()
    expect(dialog).to_be_hidden()
