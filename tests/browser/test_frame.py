"""The frame: switching project and bucket, the bar of a phone, the breadcrumb."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE, accessible
from tests.features.network.desk import STAGING, TRACKING


def test_two_clicks_switch_the_project_and_keep_the_section(page: Page) -> None:
    page.goto(f"/projects/{TRACKING}/secrets/")
    page.get_by_role("link", name="Switch project: parcel-tracking", exact=True).click()
    expect(page.get_by_role("searchbox", name="Name, ref or label")).to_be_focused()
    accessible(page)
    page.get_by_role("dialog").get_by_role("link", name="parcel-tracking-staging").click()
    expect(page).to_have_url(re.compile(f"/projects/{STAGING}/secrets/$"))
    current = page.locator(".rail [aria-current]")
    expect(current).to_have_text("Secrets")


def test_the_switch_works_by_keyboard_and_gives_the_focus_back(page: Page) -> None:
    page.goto(f"/projects/{TRACKING}/types/")
    switch = page.get_by_role("link", name="Switch project: parcel-tracking", exact=True)
    switch.press("Enter")
    field = page.get_by_role("searchbox", name="Name, ref or label")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".find__hit").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(switch).to_be_focused()
    switch.press("Enter")
    expect(field).to_be_focused()
    field.press_sequentially("tracking-stag")
    field.press("Enter")
    expect(page).to_have_url(re.compile(f"/projects/{STAGING}/types/$"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", ["/", f"/projects/{TRACKING}/secrets/", f"/storage/{TRACKING}/handbook/"])
def test_a_phone_has_four_places_and_the_others_behind_more(open_page: NewPage, path: str) -> None:
    page = open_page(viewport=PHONE)
    page.goto(path)
    rail = page.get_by_role("navigation", name=re.compile("Sections|Project"))
    expect(rail.locator(".rail__list .rail__link:visible")).to_have_count(4)
    rail.get_by_role("button", name="More").click()
    last = rail.get_by_role("link", name="People" if path == "/" else "Root key", exact=True)
    expect(last).to_be_visible()
    accessible(page)
    last.click()
    expect(page).to_have_url(re.compile("/people/$" if path == "/" else "/encryption/$"))


# A running job takes some of the room, whether another test has one or not.
TRAY = """(tray) => {
  tray.hidden = false;
  tray.innerHTML = `<details class="job-tray__fold"><summary class="job-tray__head"><span class="job-tray__words">
    <svg class="icon" width="16" height="16"></svg><span class="job-tray__long">Jobs: 10 running</span>
    <span class="job-tray__short" aria-hidden="true">10</span></span>
    <progress class="progress" max="1" value=".3" aria-label="Progress of the jobs"></progress></summary></details>`;
}"""


def test_a_click_and_a_key_on_a_page_whose_scripts_are_slow_wait_for_them(page: Page) -> None:
    def slowly(route: Route) -> None:
        page.wait_for_timeout(1_000)
        route.continue_()

    page.goto("/")
    page.route(re.compile(r"/js/app\b"), slowly)
    page.get_by_role("link", name=re.compile("^Bans: [1-9]")).first.click()
    page.get_by_role("link", name=re.compile("^Lift the ban of")).first.click()
    expect(page.get_by_role("dialog").get_by_role("button", name=re.compile("^Lift"))).to_be_visible()
    page.goto("/people/", wait_until="commit")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_last_two_parts_of_the_breadcrumb_are_readable_on_a_phone(open_page: NewPage) -> None:
    page = open_page(viewport=PHONE)
    # The jobs of other tests don't take the place of these.
    page.route(re.compile("/jobs/tray/"), lambda route: route.fulfill(status=204))
    page.goto(f"/storage/{TRACKING}/handbook/")
    page.locator("[data-job-tray]").evaluate(TRAY)
    expect(page.locator(".job-tray__head")).to_be_visible()
    parts = page.locator(".crumbs__list > li:visible")
    expect(parts).to_have_text(["Storage", "handbook"])
    for part in parts.all():
        assert part.locator("a").first.evaluate("(part) => part.scrollWidth <= part.clientWidth")
    page.get_by_role("link", name="Switch bucket").click()
    expect(page.get_by_role("searchbox", name="Name of a bucket")).to_be_focused()
    accessible(page)
    page.goto(f"/storage/{TRACKING}/handbook/~snapshots/")
    page.locator("[data-job-tray]").evaluate(TRAY)
    expect(parts).to_have_text(["handbook", "Snapshots"])
    assert parts.last.evaluate("(part) => part.scrollWidth <= part.clientWidth")


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [390, 1024])
def test_the_breadcrumb_keeps_its_room_where_the_project_has_a_label(open_page: NewPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(f"/projects/{STAGING}/label/")
    page.get_by_label("Label").first.fill("Customer A, Europe")
    page.get_by_label("Production").check()
    page.get_by_role("button", name="Save label").click()
    expect(page.locator(".top .label__production")).to_be_visible()
    page.goto(f"/projects/{STAGING}/secrets/")
    parts = page.locator(".crumbs__list > li:visible").all()[-2:]
    assert [part.inner_text() for part in parts] == ["parcel-tracking-staging", "Secrets"]
    for part in parts:
        box = part.bounding_box()
        assert box
        assert box["width"] > 50
    accessible(page)
    page.goto(f"/projects/{STAGING}/label/")
    page.get_by_label("Label").first.fill("")
    page.get_by_label("Production").uncheck()
    page.get_by_role("button", name="Save label").click()
    expect(page.locator(".label__production")).to_have_count(0)


def test_very_long_names_keep_the_frame_in_shape(page: Page) -> None:
    page.goto(f"/storage/{TRACKING}/handbook/")
    page.evaluate("""() => {
        for (const name of document.querySelectorAll(".place__name, .crumbs__list li + li > a:not(.crumbs__switch)"))
            name.textContent = "a-name-that-nobody-would-give-to-anything-".repeat(5);
    }""")
    for width in (390, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for part in page.locator(".crumbs__list > li:visible").all()[-2:]:
            box = part.bounding_box()
            assert box
            assert box["width"] > 60
        switch = page.get_by_role("link", name="Switch bucket").bounding_box()
        person = page.locator(".person").bounding_box()
        assert switch
        assert person
        assert switch["x"] + switch["width"] <= person["x"]


def test_without_script_no_page_shows_a_copy_button(open_page: NewPage) -> None:
    page = open_page(java_script_enabled=False)
    project, storage = f"/projects/{TRACKING}/", f"/storage/{TRACKING}/handbook/"
    addresses = (project, f"{project}functions/print-label/", f"{project}hostname/", f"{project}types/", storage, "/account/")
    copies = 0
    for address in addresses:
        page.goto(address)
        found = page.locator("[data-copy], [data-copy-from]")
        copies += found.count()
        assert not [copy for copy in found.all() if copy.is_visible()], address
    assert copies > len(addresses), "there is something to hide"
