"""Lists show their rows first: where the first one begins, and what the bar of a selection replaces."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import COUNT, PHONE, QUIET, accessible, shared, top
from tests.features.hostname.desk import LAB
from tests.features.test_calls import REF
from tests.features.test_typed_secrets import LIMITS
from tests.launch.command import Started
from tests.launch.visitor import Visitor

DESK = {"width": 1440, "height": 900}
TOUCH = {"has_touch": True, "is_mobile": True}
ROW = "[data-rows] tbody tr"
PROJECT = f"/projects/{REF}/"
# The highest place of the first row: on Home and its views it stands below what needs attention, in a search below the search.
LISTS = {
    "/": 330,
    "/?view=storage": 330,
    "/?view=network": 330,
    f"/storage/{REF}/handbook/~search/": 250,
    **dict.fromkeys(
        ("/hostnames/", "/links/", "/links/requests/", "/journal/", "/jobs/", "/notifications/", "/people/", "/organizations/"),
        200,
    ),
    **dict.fromkeys((f"{PROJECT}secrets/", f"{PROJECT}functions/", f"{PROJECT}functions/print-label/versions/"), 200),
    f"{PROJECT}network/bans/": 200,
    f"/storage/{REF}/": 200,
}
FIRST = "main :is(tbody tr, .event, .empty)"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("look", "limit"),
    [({"viewport": DESK}, 200), ({"viewport": PHONE}, 260), ({"viewport": PHONE, **TOUCH}, 260)],
    ids=["desk", "phone", "touch"],
)
def test_the_first_row_begins_near_the_top_and_stays_there_when_it_is_selected(
    open_page: NewPage, bucket: str, neighbour: Neighbour, look: dict[str, Any], limit: int
) -> None:
    page = open_page(**look)
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    expect(page.locator(ROW)).to_have_count(2)
    before = top(page, ROW)
    tabs = page.locator(".frame__page > .local")
    box = tabs.bounding_box() if tabs.count() else None
    assert before - (box["height"] if box else 0) < limit
    page.get_by_label("Select a.txt").check()
    expect(page.locator(".selection")).to_be_visible()
    assert abs(top(page, ROW) - before) < 8
    assert top(page, ".selection") < before
    assert page.locator(".selection__acts").evaluate("acts => acts.scrollWidth <= acts.clientWidth"), "none is cut off"
    accessible(page)
    page.get_by_label("Select a.txt").uncheck()
    expect(page.locator(".selection")).to_be_hidden()
    assert top(page, ROW) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= look["viewport"]["width"]


@pytest.mark.parametrize("width", [1024, 1280, 1360, 1440, 1560])
def test_beside_the_details_of_a_file_every_act_of_a_selection_is_visible(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/storage/{REF}/handbook/?path=welcome/")
    page.locator("input[name=key]").nth(1).check()
    page.locator("#objects-list a[href*='open=']").first.click()
    expect(page.locator(".details__card")).to_be_visible()
    assert page.locator(".selection__acts").evaluate("acts => acts.scrollWidth <= acts.clientWidth")


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [1440, 1024])
def test_every_list_begins_near_the_top(
    open_page: NewPage, pilothouse: Started, cookies: list[Any], bucket: str, width: int
) -> None:
    with Visitor(pilothouse.address) as visitor:
        visitor.session.cookies.update({cookie["name"]: cookie["value"] for cookie in cookies})
        assert visitor.submit(visitor.get(f"{bucket}~share/?key=a.txt"), life="86400", landing="page").ok
        # With instructions there are more views of links.
        assert visitor.submit(visitor.get(f"/projects/{LAB}/hostname/instructions/"), life="86400").ok
        asked = visitor.submit(visitor.get(f"{bucket}~request/"), life="86400", **LIMITS)
        assert asked.ok
    page = open_page(viewport=DESK | {"width": width})
    page.add_init_script(COUNT)
    too_low = dict[str, float]()
    for address, limit in LISTS.items():
        page.goto(address)
        page.wait_for_function(QUIET)
        page.locator(FIRST).first.wait_for()
        # Above the list it is said what other tests left unfinished.
        page.evaluate("() => document.querySelectorAll('main .alert').forEach((one) => one.remove())")
        if (y := top(page, FIRST)) >= limit:
            too_low[address] = y
    assert too_low == {}
    page.goto("/hostnames/")
    heights = page.locator(".overview__row").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert max(heights) <= 56, "two lines"


def test_the_filter_is_reached_while_something_is_selected(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("a.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    page.get_by_label("Select a.txt").check()
    page.locator("[data-rows] a").first.focus()
    page.keyboard.press("/")
    page.keyboard.type("b")
    expect(page.locator("#objects-count")).to_contain_text("1 entry")
    page.get_by_label("Select b.txt").check()
    expect(page.locator("[data-selected]")).to_contain_text("2 selected")


def test_details_stand_beside_the_list_from_1024_px(open_page: NewPage, bucket: str, neighbour: Neighbour) -> None:
    page = open_page(viewport={"width": 1024, "height": 800})
    neighbour.put(bucket, "a.txt", b"1")
    page.goto(bucket)
    page.get_by_role("link", name="a.txt", exact=True).click()
    expect(page.locator("[data-panel-title]")).to_be_visible()
    panel, rows = page.locator(".panel").bounding_box(), page.locator(".objects__table").bounding_box()
    assert panel
    assert rows
    assert panel["x"] >= rows["x"] + rows["width"]


def test_shift_enter_takes_the_text_of_the_filter_to_the_whole_bucket(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("old_plan.txt", "b.txt"):
        neighbour.put(bucket, name, b"1")
    page.goto(bucket)
    page.keyboard.press("/")
    page.keyboard.type("plan")
    expect(page.locator("#objects-count")).to_contain_text("1 entry with “plan”")
    expect(page.get_by_role("link", name="old_plan.txt", exact=True)).to_be_visible()
    page.keyboard.press("Shift+Enter")
    expect(page).to_have_url(re.compile(r"~search/\?q=%22plan%22"))


TOUCHED = "main :is(.copy, .sort, .local__link, .openings, .entry__actions > *)"
# The element at points 21 px from the middle is the control itself.
MISSED = """found => found.filter((one) => {
  one.scrollIntoView({ block: "center" });
  const { x, y, width, height } = one.getBoundingClientRect();
  const at = (dx, dy) => one.contains(document.elementFromPoint(x + width / 2 + dx, y + height / 2 + dy));
  return width && !(at(0, 21) && at(0, -21) && at(21, 0) && at(-21, 0));
}).map((one) => one.outerHTML.slice(0, 80))"""


@pytest.mark.exhaustive
def test_acts_sorts_and_tabs_are_as_large_as_a_finger(
    open_page: NewPage, bucket: str, neighbour: Neighbour, outside: Page
) -> None:
    page = open_page(viewport=PHONE, **TOUCH)
    # A link that was opened.
    neighbour.put(bucket, "a.txt", b"1")
    outside.goto(shared(page, bucket, "key=a.txt"))
    page.goto("/links/")
    expect(page.locator(".openings")).not_to_have_count(0)
    page.add_init_script(COUNT)
    for address in ("/", "/links/", "/journal/", f"{PROJECT}functions/", f"{PROJECT}network/bans/", f"/storage/{REF}/"):
        page.goto(address)
        page.wait_for_function(QUIET)
        assert page.locator(TOUCHED).evaluate_all(MISSED) == [], address
    page.goto("/")
    title, button = page.locator("h1").bounding_box(), page.get_by_role("link", name="New project").bounding_box()
    assert title
    assert button
    assert button["y"] < title["y"] + title["height"], "beside the title"


# Where the buttons at the head begin below the title's top; "…" stands apart.
TOPS = """() => [...document.querySelectorAll(".head__actions > :is(.button, form)")].map((one) =>
  Math.round(one.getBoundingClientRect().top - document.querySelector("h1").getBoundingClientRect().bottom))"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("address", "name", "others"),
    [
        (PROJECT, "Technical", ("Add label",)),
        (f"{PROJECT}secrets/", "Paste .env", ("Add secret",)),
        (f"{PROJECT}network/bans/", "Paste addresses", ("Find address",)),
        (f"/storage/{REF}/handbook/~usage/", "Open bucket", ("Give access",)),
        (f"/storage/{REF}/handbook/~snapshots/", "Take a snapshot", ("Schedule",)),
        ("/people/", "Add person", ("Give access",)),
    ],
)
def test_on_a_phone_buttons_stand_beside_the_title(open_page: NewPage, address: str, name: str, others: tuple[str, ...]) -> None:
    page = open_page(viewport=PHONE, **TOUCH)
    page.goto(address)
    head = page.locator(".head__actions")
    widths = [head.get_by_text(one, exact=True).evaluate("one => one.offsetWidth") for one in others]
    assert widths == [44] * len(others), "a finger wide, by their icons"
    assert head.get_by_text(name, exact=True).evaluate("one => one.offsetWidth") > 100, "the last one in words"
    assert max(page.evaluate(TOPS)) < 0
    accessible(page)


def test_on_a_phone_the_code_of_a_function_comes_before_its_facts(open_page: NewPage) -> None:
    page = open_page(viewport=PHONE, **TOUCH)
    page.goto(f"{PROJECT}functions/print-label/")
    assert len(set(page.evaluate(TOPS))) == 1, "one row of buttons"
    assert top(page, ".split > .stack") < top(page, ".split__facts")
