"""Create a project as impatient people do, label it, and see the label wherever the project is."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import accessible


def fill(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Organization").select_option(label="Nordlicht Logistik")
    page.get_by_label("Region", exact=True).select_option("eu-central-1")


def count(page: Page, name: str) -> int:
    page.goto(f"/?list=now&q={name}")
    return page.locator(".overview__name a", has_text=name).count()


@pytest.mark.parametrize("script", [True, False])
def test_a_double_click_a_reload_and_the_way_back_make_exactly_one_project(
    open_page: NewPage, console: Console, script: bool
) -> None:
    name = f"journey-{uuid4().hex[:8]}"
    page = open_page(java_script_enabled=script)
    fill(page, name)
    if script:
        accessible(page)
    page.get_by_role("button", name="Review project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Create {name}?")
    password = page.locator(".review__password").text_content() or ""
    assert len(password) == 24
    assert password not in page.url
    if script:
        accessible(page)
    page.get_by_label("I saved the generated password").check()
    page.get_by_role("button", name="Create billable project").dblclick(no_wait_after=True)
    expect(page).to_have_url(re.compile("/arrival/"))  # the second press aborts the first one's navigation
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    assert password not in page.content()
    if script:
        accessible(page)

    page.reload()
    page.reload()
    page.go_back()
    page.wait_for_load_state()
    expect(page).to_have_url(re.compile("/arrival/"))
    page.go_back()
    expect(page.get_by_role("button", name="Create billable project")).to_have_count(0)
    assert count(page, name) == 1


def test_what_is_refused_is_in_sight_on_a_phone(open_page: NewPage, console: Console) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    fill(page, f"journey-{uuid4().hex[:8]}")
    page.get_by_role("button", name="Review project").click()
    console.expect(422, "/projects/new/[0-9a-f-]+/")
    page.get_by_role("button", name="Create billable project").click()
    expect(page.get_by_text("Save the password first")).to_be_in_viewport()
    expect(page.get_by_label("I saved the generated password")).to_be_focused()


def test_the_line_ends_by_itself_when_the_project_is_healthy(open_page: NewPage) -> None:
    name = f"journey-{uuid4().hex[:8]}"
    page = open_page()
    fill(page, name)
    page.get_by_role("button", name="Review project").click()
    page.get_by_label("Use my own").check()
    expect(page.locator(".review__password")).to_be_hidden()
    page.get_by_label("Your password").fill("four kind otters")
    page.get_by_role("button", name="Create billable project").click()
    expect(page.get_by_text("The project is ready.")).to_be_visible(timeout=60_000)
    expect(page.locator("#project-arrival[hx-trigger]")).to_have_count(0)
    accessible(page)
    page.get_by_role("link", name="Open project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_a_label_edges_every_page_of_its_project_and_asks_for_more_care(open_page: NewPage) -> None:
    page = open_page()
    page.goto("/?q=marlowe-lab")
    expect(page.locator(".overview__row[data-later]")).to_have_count(1)  # a row that is read anew closes its menu
    page.get_by_role("button", name="More for marlowe-lab").click()
    page.get_by_role("link", name="Edit label").click()
    dialog = page.locator("dialog[open]")
    expect(dialog.get_by_label("Label", exact=False).first).to_be_focused()
    accessible(page)
    page.keyboard.type("Workshop")
    dialog.get_by_label("Violet").check()
    dialog.get_by_role("switch", name="Production").check()
    dialog.get_by_role("button", name="Save label").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#home-list .label[data-colour=violet]")).to_have_text("Workshop")

    page.get_by_role("button", name="More for marlowe-lab").click()
    page.get_by_role("link", name="Secrets").click()
    edge = page.locator("header.top[data-colour=violet]")
    switch = page.get_by_role("link", name="Switch project: marlowe-lab")
    expect(switch.get_by_text("Production", exact=True)).to_be_visible()
    expect(edge.get_by_text("Production", exact=True)).to_be_hidden()
    assert edge.evaluate("(bar) => getComputedStyle(bar).borderTopWidth") == "3px"
    accessible(page)

    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Edit label").click()
    dialog.get_by_label("Label", exact=False).first.fill("")
    dialog.get_by_label("No colour").check()
    dialog.get_by_role("switch", name="Production").uncheck()
    dialog.get_by_role("button", name="Save label").click()
    expect(page.locator("header.top[data-colour]")).to_have_count(0)
