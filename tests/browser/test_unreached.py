"""Requests of a page that a proxy answers in Pilothouse's place, or nobody."""

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import SPACE, accessible, expect_read, shared
from tests.browser.test_turns import ALL_ARE_DUE
from tests.features.network.desk import TRACKING

BARE = ""
OF_PROXY = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>"
BODIES = (BARE, OF_PROXY)


def answer_instead(page: Page, address: re.Pattern[str], body: str = BARE, status: int = 502) -> None:
    """Answer the requests of scripts to this address in Pilothouse's place."""

    def answer(route: Route) -> None:
        if "hx-request" in route.request.headers:
            route.fulfill(status=status, body=body, content_type="text/html")
        else:
            route.continue_()

    page.route(address, answer)


def say_unreached(page: Page) -> None:
    expect(page.get_by_role("alert").get_by_text("Pilothouse could not be reached (502). Try again in a moment.")).to_be_visible()


def test_a_dialog_that_does_not_come_is_said_and_comes_later(page: Page, console: Console) -> None:
    console.expect(502, "/~new/")
    page.goto(SPACE)
    for body in BODIES:
        answer_instead(page, re.compile("/~new/$"), body)
        page.get_by_role("link", name="New bucket").click()
        say_unreached(page)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("link", name="handbook", exact=True)).to_be_visible()
        expect(page).to_have_title(re.compile("^Buckets"))
        accessible(page)
        page.unroute(re.compile("/~new/$"))
        page.get_by_role("button", name="Dismiss").click()
    page.get_by_role("link", name="New bucket").click()
    expect(page.get_by_role("dialog", name="New bucket")).to_be_visible()


def test_a_form_that_is_not_answered_keeps_what_was_typed(page: Page, console: Console) -> None:
    page.goto(SPACE)
    page.get_by_role("link", name="New bucket").click()
    dialog = page.get_by_role("dialog", name="New bucket")
    create = dialog.get_by_role("button", name="Create bucket")
    for status, words in (
        (502, "Pilothouse did not answer (502), so it isn't known whether anything was changed. Check before you try again."),
        (413, "The request was refused before it reached Pilothouse (413). Nothing was changed."),
    ):
        console.expect(status, "/~new/")
        dialog.get_by_label("Name").fill(f"bills-{status}")
        answer_instead(page, re.compile("/~new/$"), OF_PROXY, status)
        create.click()
        expect(dialog.get_by_role("alert").get_by_text(words)).to_be_visible()
        expect(dialog.get_by_label("Name")).to_have_value(f"bills-{status}")
        expect(create).to_be_enabled()
        expect(create).not_to_have_attribute("aria-busy", "true")
        page.unroute(re.compile("/~new/$"))


def test_a_folder_and_a_file_that_do_not_come_leave_the_list(page: Page, console: Console) -> None:
    console.expect(502, "/handbook/")
    page.goto(f"{SPACE}handbook/")
    bucket = re.compile(r"/handbook/\?")
    for body in BODIES:
        answer_instead(page, bucket, body)
        page.get_by_role("link", name="procedures", exact=True).click()
        say_unreached(page)
        expect(page).to_have_url(re.compile("/handbook/$"))
        page.unroute(bucket)
        page.get_by_role("button", name="Dismiss").click()
    page.get_by_role("link", name="procedures", exact=True).click()
    file = page.get_by_role("link", name="damaged-parcels.md")
    for body in BODIES:
        expect(file).to_be_visible()
        answer_instead(page, bucket, body)
        file.click()
        say_unreached(page)
        expect(file).to_be_visible()
        page.unroute(bucket)
        page.get_by_role("button", name="Dismiss").click()
    file.click()
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("damaged-parcels.md")


def test_a_view_that_does_not_come_leaves_the_one_before(page: Page, console: Console) -> None:
    console.expect(502, "/functions/")
    page.goto(f"/projects/{TRACKING}/functions/")
    functions = re.compile(r"/functions/\?")
    answer_instead(page, functions, OF_PROXY)
    page.get_by_role("link", name="Function", exact=True).click()
    say_unreached(page)
    expect(page.get_by_role("link", name="print-label", exact=True)).to_be_visible()


def test_a_part_that_does_not_come_offers_to_try_again(page: Page, console: Console) -> None:
    console.expect(502, "/sandbox/dns/")
    dns = re.compile("/sandbox/dns/$")
    answer_instead(page, dns, OF_PROXY)
    page.goto("/sandbox/switches/")
    part = page.locator("#dns-hosts")
    expect(part).to_contain_text("Pilothouse could not be reached")
    accessible(page)
    with page.expect_response(dns):
        part.get_by_role("link", name="Try again").click()
    expect(part).to_contain_text("Pilothouse could not be reached")
    page.unroute(dns)
    part.get_by_role("link", name="Try again").click()
    expect(part).to_contain_text("track.nordlicht-logistik.example")
    expect(part.get_by_role("link", name="Try again")).to_have_count(0)


def test_rows_that_do_not_come_stay_and_are_asked_again(page: Page, console: Console) -> None:
    console.expect(502, "/overview/[a-z]{20}/")
    page.clock.install()
    page.goto("/")
    expect_read(page)
    expect(page.locator(".overview__row[data-later]")).not_to_have_count(0)
    names = page.locator(".overview__name a").all_inner_texts()
    rows = re.compile("/overview/")
    answer_instead(page, rows, OF_PROXY)
    with page.expect_response(rows):
        page.evaluate(ALL_ARE_DUE)
    say_unreached(page)
    expect(page.locator(".overview__row.htmx-request")).to_have_count(0)
    assert page.locator(".overview__name a").all_inner_texts() == names
    expect(page.locator("[data-turn]")).not_to_have_count(0)
    page.unroute(rows)
    page.clock.run_for(15_500)
    expect(page.locator("[data-turn]")).to_have_count(0, timeout=60_000)
    assert sorted(page.locator(".overview__name a").all_inner_texts()) == sorted(names)


def test_what_was_not_undone_can_still_be_undone(page: Page, neighbour: Neighbour, console: Console, bucket: str) -> None:
    console.expect(502, r"/links/\d+/.*")
    neighbour.put(bucket, "terms.txt", b"terms")
    shared(page, bucket, "key=terms.txt")
    page.goto("/links/")
    row = page.get_by_role("row").filter(has_text="terms.txt")
    row.get_by_role("button", name="Revoke the link to terms.txt").click()
    undo = page.locator("#notices").get_by_role("link", name="Undo")
    links = re.compile(r"/links/\d+/")
    answer_instead(page, links)
    undo.click()
    expect(page.get_by_role("alert").get_by_text("Pilothouse did not answer (502)")).to_be_visible()
    expect(row).to_contain_text("Revoked")
    page.unroute(links)
    undo.click()
    expect(row).to_contain_text("Active")
    expect(undo).to_have_count(0)
