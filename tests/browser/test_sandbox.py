"""Guides over the real pages notice what was done there, and switches show in the frame."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, new_bucket, pick, setup_of_hostname, total, verify, write


@pytest.fixture
def tidy(page: Page) -> Iterator[Page]:
    """What was switched on goes off, and the guide out of the banner, for the tests after this one."""
    yield page
    page.goto("/sandbox/switches/")
    press_away(page, "Reset")
    page.goto("/sandbox/")
    press_away(page, "Leave")


def press_away(page: Page, name: str) -> None:
    button = page.locator("main").get_by_role("button", name=name)
    if button.count():
        button.click()
    expect(button).to_have_count(0)


def test_a_guide_notices_an_upload_without_a_reload_and_can_be_left(tidy: Page, tmp_path: Path) -> None:
    page = tidy
    page.goto("/")
    banner = page.get_by_role("region", name="Sandbox")
    banner.get_by_role("button", name="Share a file").click()
    expect(banner).to_contain_text("Upload a file")
    new_bucket(page)
    expect(banner).to_contain_text("1 of 4")
    pick(page, *write(tmp_path, a__txt="1"))
    total(page, "1 of 1 stored")
    expect(banner).to_contain_text("Create a share link")
    accessible(page)
    banner.get_by_role("button", name="Leave").click()
    expect(page).to_have_url("/sandbox/")
    expect(page.get_by_role("region", name="Share a file").get_by_role("button", name="Resume")).to_be_visible()


def test_a_newcomer_brings_a_hostname_live_by_the_guide(tidy: Page, neighbour: Neighbour) -> None:
    """Only what the banner says is done, on the pages to which it leads."""
    page = tidy
    name, host = f"guided {uuid4().hex[:8]}", f"app.{uuid4().hex[:8]}.example"
    neighbour.project(name)
    banner = page.get_by_role("region", name="Sandbox")
    # Projects that were made elsewhere are seen once the list is read again.
    page.goto("/?list=now")
    banner.get_by_role("button", name="Bring a hostname live").click()
    expect(banner).to_contain_text("Set up anyway")
    page.get_by_role("link", name=name, exact=True).click()
    setup_of_hostname(page).click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Hostname").fill(host)
    dialog.get_by_label("Check automatically").uncheck()
    dialog.get_by_label("Set up anyway").check()
    dialog.get_by_role("button", name="Set up hostname").click()
    expect(banner).to_contain_text("2 of 6")
    publish(page, banner, host)
    expect(banner).to_contain_text("3 of 6")
    banner.get_by_role("link", name="Go there").click()
    verify(page)
    expect(banner).to_contain_text("4 of 6")
    publish(page, banner, host)
    expect(banner).to_contain_text("5 of 6")
    banner.get_by_role("link", name="Go there").click()
    current = page.locator("[aria-current=step]")
    for state in ("Certificate", "Activate"):
        verify(page)
        expect(current).to_contain_text(state)
    expect(banner).to_contain_text("6 of 6")
    page.get_by_role("link", name="Activate hostname").click()
    expect(dialog.get_by_role("checkbox")).to_have_count(5)
    for point in dialog.get_by_role("checkbox").all():
        point.check()
    dialog.get_by_role("button", name=f"Activate {host}").click()
    expect(dialog).to_be_hidden()
    expect(banner).to_contain_text("Bring a hostname live: done.")
    accessible(page)
    banner.get_by_role("button", name="Close").click()
    expect(page).to_have_url("/sandbox/")


def publish(page: Page, banner: Locator, host: str) -> None:
    banner.get_by_role("link", name="Go there").click()
    page.get_by_role("button", name=f"Publish the records of {host}").click()
    expect(page.get_by_role("button", name=f"Remove the records of {host}")).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_of_the_sandbox_are_accessible(tidy: Page, open_page: NewPage, scheme: str, width: int) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 844})
    page.goto("/sandbox/")
    accessible(page)
    page.goto("/sandbox/switches/")
    expect(page.get_by_role("button", name="Publish").first).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Switch on: Stuck").click()
    expect(page.get_by_role("region", name="Sandbox")).to_contain_text("leaves changes pending")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("region", name="Sandbox").get_by_role("button", name="Reset").click()
    expect(page.get_by_role("region", name="Sandbox")).to_contain_text("Nothing here is real")
