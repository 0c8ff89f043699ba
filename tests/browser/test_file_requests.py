"""File requests as people use them: made from a folder's menu, answered on a phone, accepted; and thirty senders at once."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import COUNT, PHONE, QUIET, accessible, hold, submit
from tests.browser.test_every_page import TOMORROW
from tests.features.test_typed_secrets import LIMITS
from tests.launch.command import Started
from tests.launch.visitor import Visitor


def ask(page: Page, **typed: str) -> str:
    """Fill in the form that is open, and return the address of the new request."""
    for label, text in typed.items():
        page.locator(f"[name={label}]").fill(text)
    page.get_by_role("button", name="Create request").click()
    return page.locator(".links__address").inner_text()


def requested(page: Page, bucket: str) -> str:
    """Make a request by the form, which no browser draws. Return its address."""
    made = submit(page, f"{bucket}~request/", life="86400", **LIMITS)
    found = re.search(r"http://[^\s\"<]+/r/[\w-]+", made)
    assert found, made
    return found[0]


def test_files_are_asked_for_sent_from_a_phone_and_accepted(page: Page, outside: Page, bucket: str, neighbour: Neighbour) -> None:
    page.add_init_script(COUNT)
    neighbour.put(bucket, "a.txt", b"there already")
    page.goto(f"{bucket.rstrip('/')}/~request/")
    address = ask(page, title="Notes of the meeting", types=".txt", note="Plain text only")

    outside.goto(address)
    expect(outside.get_by_role("heading", level=1)).to_have_text("Notes of the meeting")
    accessible(outside)
    outside.get_by_label("Your name").fill("Ann Lee")
    outside.get_by_role("button", name="Continue").click()
    expect(outside.get_by_text("Sending as Ann Lee.")).to_be_visible()
    sent: list[FilePayload] = [
        {"name": "a.txt", "mimeType": "text/plain", "buffer": b"from Ann"},
        {"name": "b.txt", "mimeType": "text/plain", "buffer": b"more from Ann"},
        {"name": "photo.png", "mimeType": "image/png", "buffer": b"x"},
    ]
    outside.locator("input[type=file]").set_input_files(sent)
    expect(outside.get_by_role("status")).to_have_text("2 files received. 1 file not sent.")
    refused = outside.locator("li", has_text="photo.png").first
    expect(refused).to_contain_text("Only these types are allowed: .txt.")
    name, state, detail = (refused.locator(f".tray__{part}").bounding_box() for part in ("name", "state", "detail"))
    assert name
    assert state
    assert detail
    assert name["x"] + name["width"] < state["x"]
    assert detail["y"] > name["y"], "why is below the name"
    assert outside.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    accessible(outside)
    outside.reload()
    expect(outside.get_by_role("listitem").filter(has_text="Received")).to_have_count(2)

    page.goto("/links/requests/")
    row = page.get_by_role("row").filter(has_text="Notes of the meeting")
    expect(row).to_contain_text("2 of 20")
    accessible(page)
    row.get_by_role("link", name="Notes of the meeting").click()
    expect(page.get_by_role("heading", name="2 files to review")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Accept a.txt").click()
    expect(page.locator("#notices")).to_contain_text("“a.txt” is now “a (1).txt”, since the name was taken.")
    # The list refreshes once more, and a menu closes with its row.
    page.wait_for_function(QUIET)
    page.get_by_role("button", name="More for b.txt").click()
    page.get_by_role("link", name="Reject b.txt").click()
    page.get_by_role("dialog").get_by_role("button", name="Reject file").click()
    expect(page.get_by_text("Nothing to review")).to_be_visible()
    page.set_viewport_size(PHONE)
    accessible(page)
    assert page.evaluate("[...document.querySelectorAll('.list')].every((list) => list.scrollWidth <= list.clientWidth)")
    page.goto(bucket)
    expect(page.get_by_role("link", name="a (1).txt")).to_be_visible()


def test_files_chosen_before_the_script_came_are_sent(page: Page, outside: Page, bucket: str) -> None:
    outside.goto(requested(page, bucket))
    with hold(outside, "**/js/sender*.js") as held:
        outside.get_by_label("Your name").fill("Ann Lee")
        outside.get_by_role("button", name="Continue").click(no_wait_after=True)
        outside.get_by_label("Choose files").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"from Ann"})
        held.next().continue_()
    expect(outside.get_by_role("status")).to_have_text("1 file received.")
    outside.get_by_label("Choose files").focus()
    accessible(outside)


def test_a_sender_goes_on_after_somebody_signed_in_in_another_tab(
    page: Page, outside: Page, bucket: str, console: Console
) -> None:
    outside.goto(requested(page, bucket))
    outside.get_by_label("Your name").fill("Ann Lee")
    outside.get_by_role("button", name="Continue").click()
    # Signing in brings another token.
    outside.locator("input[type=file]").wait_for(state="attached")
    outside.context.clear_cookies(name=re.compile("csrf"))
    console.expect(403, "/file")
    outside.locator("input[type=file]").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"from Ann"})
    expect(outside.get_by_text("1 file received.")).to_be_visible()


def test_a_file_that_may_have_arrived_is_not_counted_as_not_sent(
    page: Page, outside: Page, bucket: str, console: Console
) -> None:
    console.allow("error: Failed to load resource: net::ERR_FAILED")
    page.goto(f"{bucket.rstrip('/')}/~request/")
    outside.goto(ask(page, title="Notes"))
    outside.get_by_label("Your name").fill("Ann Lee")
    outside.get_by_role("button", name="Continue").click()
    outside.route(re.compile(r"/file\?name="), lambda route: route.abort())
    outside.locator("input[type=file]").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"from Ann"})
    expect(outside.get_by_text("It may have arrived.")).to_be_visible()
    expect(outside.get_by_role("status")).to_have_text("1 file not confirmed.")


@pytest.mark.exhaustive
def test_thirty_senders_at_once_against_a_limit_of_twenty_files_store_exactly_twenty(
    page: Page, pilothouse: Started, bucket: str
) -> None:
    """Through two web processes, which share nothing but the database."""
    page.goto(f"{bucket.rstrip('/')}/~request/")
    path = urlsplit(ask(page, title="Twenty files", most_files="20")).path

    def upload(number: int) -> int:
        with Visitor(pilothouse.address) as sender:
            shown = sender.submit(sender.get(path), name=f"Sender {number}")
            found = re.search(r'data-csrf="(\w+)"', shown.text)
            assert found, shown.text
            headers = {"X-CSRFToken": found[1], "Content-Type": "text/plain", "Referer": pilothouse.address}
            while True:
                answer = sender.session.put(
                    f"{pilothouse.address}{path}/file?name={number}.txt", data=b"x" * 1000, headers=headers, timeout=60
                )
                if answer.status_code != 503:
                    return answer.status_code

    with ThreadPoolExecutor(30) as crowd:
        answers = sorted(crowd.map(upload, range(30)))
    assert answers == [200] * 20 + [410] * 10
    page.goto("/links/requests/")
    expect(page.get_by_role("row").filter(has_text="Twenty files")).to_contain_text("20 of 20")
    page.evaluate(TOMORROW)
    for width in (700, 720, 760, 800):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(
            "() => [...document.querySelectorAll('.list')].every((list) => list.scrollWidth <= list.clientWidth)"
        )
    page.get_by_role("link", name="Twenty files").click()
    expect(page.get_by_role("heading", name="20 files to review")).to_be_visible()
    page.get_by_role("button", name="Accept all").click()
    expect(page.locator("#notices")).to_contain_text("20 files accepted.")
    page.goto(bucket)
    expect(page.locator("[data-rows] tbody tr").filter(has_text=".txt")).to_have_count(20)
