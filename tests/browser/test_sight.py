"""What is to be seen where a page is not as its designer had it: the system paints the colours, or the screen is narrow."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import expect_read, top

EDGE = 6
CUT = "(part) => part.scrollWidth > part.clientWidth"
# How much too narrow a select is for a choice with this text. Other tests may have made organizations with any name.
LACKS = """(select, text) => {
  const choice = select.options[select.options.length - 1];
  if (text) choice.textContent = text;
  choice.selected = true;
  const width = select.offsetWidth;
  select.style.cssText = "inline-size: max-content; max-inline-size: none";
  const lacks = select.offsetWidth - width;
  select.style.cssText = "";
  return lacks;
}"""


def look(thing: Locator) -> bytes:
    """A picture of it, with what is drawn around it."""
    thing.scroll_into_view_if_needed()
    box = thing.bounding_box()
    assert box
    around = {"x": box["x"] - EDGE, "y": box["y"] - EDGE, "width": box["width"] + 2 * EDGE, "height": box["height"] + 2 * EDGE}
    return thing.page.screenshot(clip=around)  # type: ignore[arg-type] # the keys are those of FloatRect


def test_states_focus_the_present_page_and_folders_are_seen_in_the_systems_colours(open_page: NewPage) -> None:
    painted = open_page(forced_colors="active", viewport={"width": 1280, "height": 800})
    painted.goto("/patterns/")
    painted.keyboard.press("Tab")
    switch = painted.get_by_role("switch").first
    switch.focus()
    before = look(switch)
    switch.press("Space")
    assert look(switch) != before
    bar = painted.locator("progress.progress").first
    before = look(bar)
    bar.evaluate("(bar) => { bar.value = bar.max; }")
    assert look(bar) != before
    button = painted.get_by_role("button", name="Edit", exact=True)
    before = look(button)
    button.focus()
    assert look(button) != before
    section = painted.get_by_role("link", name="Home", exact=True)
    before = look(section)
    painted.goto("/?view=storage")
    assert look(section) != before
    painted.get_by_role("link", name="client-uploads", exact=True).click()
    painted.get_by_role("link", name="incoming", exact=True).click()
    link = painted.locator("[data-rows] tbody th a").first
    before = look(link)
    link.evaluate("(link) => link.classList.toggle('objects__folder')")
    assert look(link) != before


def test_the_way_back_stays_in_sight_beside_a_long_title(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    page.goto("/account/name/")
    page.locator(".crumbs__list > li").last.evaluate("(place) => { place.textContent = 'A long title of a page '.repeat(9); }")
    back = page.locator(".crumbs__list > li:first-child > a")
    assert back.evaluate("(back) => back.scrollWidth <= back.clientWidth"), "the way back is cut off"
    crumbs, person = page.locator(".crumbs").bounding_box(), page.locator(".person").bounding_box()
    assert crumbs
    assert person
    assert crumbs["x"] + crumbs["width"] <= person["x"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [390, 1024])
def test_nothing_above_the_files_of_a_folder_is_cut_off_on_a_narrow_screen(
    open_page: NewPage, bucket: str, neighbour: Neighbour, width: int
) -> None:
    neighbour.put(bucket, "Photos/harbour at dusk, seen from the pier.txt", b"1")
    page = open_page(viewport={"width": width, "height": 800})
    page.goto(f"{bucket}?path=Photos/&open=Photos/harbour at dusk, seen from the pier.txt")
    for part in (".path__here", ".objects__facts", ".objects__count"):
        assert not page.locator(part).first.evaluate(CUT), part
    page.get_by_label("Select harbour").check()
    expect(page.get_by_role("button", name="Delete").first).to_be_in_viewport(ratio=1)
    assert not page.locator(".selection__acts").evaluate(CUT)


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_a_file_is_seen_before_its_facts(open_page: NewPage, bucket: str, neighbour: Neighbour, width: int) -> None:
    neighbour.put(bucket, "a.txt", b"what matters")
    page = open_page(viewport={"width": width, "height": 800})
    page.goto(f"{bucket}~preview/?key=a.txt")
    expect(page.get_by_text("what matters")).to_be_in_viewport()


def test_what_has_the_focus_is_not_under_the_bar_of_a_phone(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    page.goto("/account/")
    page.evaluate("""() => document.addEventListener("focusin", ({ target }) => {
        const rail = document.querySelector(".rail");
        const under = target.getBoundingClientRect().bottom > rail.getBoundingClientRect().top;
        if (under && !rail.contains(target)) target.dataset.under = "";
    })""")
    page.get_by_role("link", name="Home", exact=True).focus()
    for _ in range(60):
        page.keyboard.press("Tab")
    expect(page.locator("[data-under]")).to_have_count(0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_next_step_is_in_sight_beside_long_facts(open_page: NewPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    page.goto("/")
    expect(page.locator("td.fact--storage").first).to_have_text(re.compile(r"\d"))
    facts = {
        ".fact--state .badge": "Restore failed",
        ".fact--hostname [aria-hidden=true]": "None",
        ".fact--access [aria-hidden=true]": "1,000",
        ".fact--bans [aria-hidden=true]": "1,000",
        ".fact--functions [aria-hidden=true]": "100",
        ".fact--storage [aria-hidden=true]": "100",
        ".fact--links [aria-hidden=true]": "1,000",
        ".overview__say": "signage.nordlicht-logistik.example: custom hostname does not CNAME to this zone",
        ".overview__next .button": "Take over the daily check",
    }
    for cell, text in facts.items():
        page.locator(f".overview {cell}").last.evaluate("(cell, text) => { cell.textContent = text; }", text)
    assert not page.locator(".list:has(> .overview)").evaluate(CUT)
    for part in page.locator(".overview td").all():
        assert not part.evaluate(CUT), part.inner_text()


def test_no_triangle_is_the_browsers(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    page.goto("/patterns/")
    kinds = page.locator("summary").evaluate_all("(all) => all.map((one) => getComputedStyle(one).listStyleType)")
    assert kinds
    assert set(kinds) == {"none"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_words_of_a_filter_are_not_cut(open_page: NewPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    page.goto("/")
    choices = page.locator("#home-filter select")
    expect(choices).not_to_have_count(0)
    for choice in choices.all():
        for text in ("", "All 25 storerooms of the harbour office"):
            assert choice.evaluate(LACKS, text) <= 0, choice.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# What also stands beside a step, where an old answer is shown.
AGE = """(rests) => rests.forEach((rest) => {
  rest.querySelector(".overview__note")?.remove();
  const note = document.createElement("span");
  note.className = "overview__note";
  note.innerHTML = '<a href="/">2 more</a><span>as of 23 minutes ago</span>';
  rest.append(note);
})"""
# How many lines the text of each has.
LINES = """(all) => all.map((one) => {
  const text = document.createRange();
  text.selectNodeContents(one);
  return new Set([...text.getClientRects()].map((line) => line.top)).size;
})"""
SAY = "(cells, text) => cells.forEach((one) => { one.textContent = text; })"
# The most that these columns say.
WIDEST = {
    "bytes": "Not counted",
    "snapshot": "23 minutes ago",
    "since": "At least since 14:02 UTC",
    "check": "Until verified",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("address", ["/", "/?view=storage", "/?view=network", "/hostnames/"])
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_words_of_the_next_step_are_not_cut(open_page: NewPage, width: int, address: str) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    page.goto(address)
    expect_read(page)
    words = page.locator(".overview__row:has(.overview__rest > .button) .overview__say")
    expect(words.first).to_be_visible()
    for kind, text in WIDEST.items():
        page.locator(f".overview .fact--{kind}").evaluate_all(SAY, text)
    for one in words.all():
        one.evaluate("(one) => { one.textContent = 'CNAME track-staging.nordlicht-logistik.example: missing'; }")
        assert one.evaluate("(one) => one.scrollHeight <= one.clientHeight")
    page.locator(".overview__rest:has(> .button)").evaluate_all(AGE)
    assert not page.locator(".list:has(> .overview)").evaluate(CUT)
    assert max(page.locator(".overview .fact--bytes").evaluate_all(LINES), default=1) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "limit"), [(1440, 330), (1024, 330), (390, 330)])
def test_the_first_project_begins_near_the_top(open_page: NewPage, width: int, limit: int) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    page.goto("/?list=now")
    expect(page.locator(".attention__kinds")).to_be_visible()
    expect_read(page)
    assert top(page, ".overview__row") < limit
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("Hostname", "Restrictions", "Bans", "Functions", "Buckets", "Links"):
        expect(page.locator(".overview__row").first.get_by_role("link", name=f"{name}:")).to_be_visible()


@pytest.mark.exhaustive
def test_the_name_of_a_secret_is_not_broken_on_a_phone(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto("/projects/ktmvqhzwrbnxpgaydcle/secrets/")
    for name in page.locator("tbody code").all():
        assert len(name.evaluate("(name) => [...name.getClientRects()]")) == 1, name.inner_text()
