"""Every page, dark on a phone and light at a desk: nothing is wider than the screen, no style is missing, axe finds
nothing, the console is silent. On a phone a thumb can press what belongs to a row.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import COUNT, QUIET, without_violations
from tests.environment import ROOT
from tests.features.test_calls import REF
from tests.launch.command import Started
from tests.launch.test_weight import SHARED, addresses
from tests.launch.visitor import Visitor
from tests.plugins.exhaustive import Part, in_parts

DESK = {"width": 1440, "height": 900}
PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# No other journey counts the buckets of this one.
LAB = "/storage/xreugplnbwsqhdvfyakt/"
LONG = "a-bucket-with-a-name-that-is-as-long-as-the-service-allows-" + "x" * 41
PLACE = f"place={REF}"
OTHERS = (
    *("/access/new/", f"/access/new/?{PLACE}", "/access/confirmation/"),
    *("/account/name/", "/account/sign-in/", "/account/sign-in/app/new/", "/account/sign-in/passkeys/new/"),
    *("/account/sign-in/codes/", "/account/sign-in/devices/end/", "/account/password/change/", "/account/lock/"),
    *("/account/login/", "/account/password/reset/", "/account/password/reset/done/", "/account/password/reset/key/1-a/"),
    *("/links/requests/", "/notifications/?unread=1", "/projects/addresses/own/", "/search/", "/organizations/new/"),
    *(f"{LAB}{LONG}/", f"{LAB}~switch/", LAB, f"/storage/{REF}/handbook/~request/", "/patterns/", "/patterns/form/"),
    "/snapshots/",
)
# A list of cards, or Home, that scrolls sideways. Code, tabs and tables of a file do so on purpose.
WIDE = """() => [...document.querySelectorAll(".list:has(> .table--cards, > .overview)")]
  .filter((list) => list.checkVisibility() && list.scrollWidth > list.clientWidth).length"""

# What a thumb would miss: acts of a row below 44 px, chips below 32.
ACTS = "main :is(td, li, .list) :is(.button, .icon-button), .overview__note > a"
SMALL = """(acts) => [...document.querySelectorAll(`main .chip, ${acts}`)]
  .filter((one) => one.checkVisibility({opacityProperty: true, visibilityProperty: true}))
  .map((one) => [one, one.getBoundingClientRect(), one.matches(".chip") ? 31.5 : 43.5])
  .filter(([one, box, least]) => box.width > 1 && (box.height < least || box.width < least))
  .map(([one, box]) => `${one.className} ${one.textContent.trim()}: ${box.width} x ${box.height}`)"""

# Classes of the page that a sheet knows, but none of this page's.
UNSTYLED = """(known) => {
  const rules = (list) => [...list].map((rule) => `${rule.selectorText} ${rule.cssRules ? rules(rule.cssRules) : ""}`).join();
  const here = new Set([...document.styleSheets].flatMap((sheet) => rules(sheet.cssRules).match(/\\.[\\w-]+/g)));
  const used = new Set([...document.querySelectorAll("main [class]")].flatMap((element) => [...element.classList]));
  return known.filter((name) => used.has(name) && !here.has(`.${name}`));
}"""
CSS = ROOT / "static" / "css"


def classes(*sheets: Path) -> set[str]:
    return {name for sheet in sheets for name in re.findall(r"\.([a-z][\w-]*)", sheet.read_text())}


@pytest.fixture(scope="session")
def longest(pilothouse: Started, cookies: list[Any]) -> None:
    """A bucket has the longest name; of links, one was opened and the file of one is missing."""
    bucket, neighbour = f"{LAB}{LONG}/", Neighbour(pilothouse)
    with Visitor(pilothouse.address) as visitor:
        visitor.session.cookies.update({cookie["name"]: cookie["value"] for cookie in cookies})
        visitor.submit(visitor.get(f"{LAB}~new/"), name=LONG)
        for key in ("opened.txt", "missing.txt"):
            neighbour.put(bucket, key, b"a")
            made = visitor.submit(visitor.get(f"{bucket}~share/?key={key}"), life="604800", landing="direct")
            assert (link := SHARED.search(made.text))
            assert key == "missing.txt" or visitor.get(link[0]).text == "a"
        visitor.submit(visitor.get(f"{bucket}~deletion/?key=missing.txt"), unkept="yes")
        listed = visitor.get("/links/").text
        assert "File missing" in listed
        assert "openings__bars" in listed


@in_parts
@pytest.mark.parametrize("scheme", ["dark on a phone", "light at a desk"])
@pytest.mark.usefixtures("longest")
def test_every_page_fits_the_screen_and_is_accessible(open_page: NewPage, part: Part, scheme: str) -> None:
    page = open_page(color_scheme="dark", **PHONE) if "phone" in scheme else open_page(color_scheme="light", viewport=DESK)
    page.add_init_script(COUNT)
    width = page.viewport_size["width"] if page.viewport_size else 0
    too_wide, unstyled, too_small = list[str](), dict[str, list[str]](), dict[str, list[str]]()
    later = [CSS / part for part in re.findall(r'@import "([^"]+)"', (CSS / "uploads.css").read_text())]
    known = sorted(classes(*CSS.rglob("*.css")) - classes(*later))
    # Some answer with a part of a page, or a file.
    whole = [address for address in part.of([*addresses(), *OTHERS]) if "<main" in page.request.get(address).text()]
    assert whole
    for address in whole:
        page.goto(address)
        page.wait_for_function(QUIET)
        if page.evaluate("document.documentElement.scrollWidth") > width or page.evaluate(WIDE):
            too_wide.append(address)
        if missing := page.evaluate(UNSTYLED, known):
            unstyled[address] = missing
        if "phone" in scheme and (small := page.evaluate(SMALL, ACTS)):
            too_small[address] = small
        without_violations(page)
    assert too_wide == []
    assert unstyled == {}
    assert too_small == {}


# The longest words for a time, also where nothing has happened yet.
TOMORROW = """() => {
  for (const when of document.querySelectorAll("[data-when]")) when.textContent = "yesterday 14:02";
  for (const line of document.querySelectorAll(".entry span"))
    if (line.textContent.trim() === "Never refused") line.textContent = "Last refused yesterday 14:02";
}"""


FITS = f"() => document.documentElement.scrollWidth <= innerWidth && !({WIDE})()"
LISTS = (
    *("/", "/?view=storage", "/?view=network", "/hostnames/", "/journal/", "/jobs/", "/notifications/", "/people/", "/account/"),
    *("/links/", "/links/requests/", "/snapshots/", LAB, f"/storage/{REF}/", f"/storage/{REF}/handbook/"),
    *(f"/projects/{REF}/{section}/" for section in ("functions", "secrets", "network/bans", "network/restrictions")),
)


@in_parts
@pytest.mark.usefixtures("longest")
def test_every_list_fits_every_width(open_page: NewPage, part: Part) -> None:
    page = open_page(viewport=DESK)
    page.add_init_script(COUNT)
    too_wide = []
    for address in part.of(LISTS):
        page.goto(address)
        page.wait_for_function(QUIET)
        page.evaluate(TOMORROW)
        for width in range(360, 1500, 20):
            page.set_viewport_size({"width": width, "height": 900})
            try:
                # Some frames pass until the rules for this width hold.
                page.wait_for_function(FITS, timeout=2000)
            except Error:
                too_wide.append(f"{address} at {width}")
    assert too_wide == []
