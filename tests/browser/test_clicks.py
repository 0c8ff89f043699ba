"""How few clicks and taps the journeys of every day take. Typing, pasting and moving the pointer are not counted."""

import re
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.test_recipients import PHONE, Counter

PROJECT = "/projects/pwgxlsnvjtaeoqkdhbfm/"


def test_secrets_are_pasted_in_three_clicks(page: Page) -> None:
    page.goto(f"{PROJECT}secrets/")
    click, name = Counter(), f"CLICKS_{uuid4().hex[:8].upper()}"
    click(page.get_by_role("link", name="Paste .env").first)
    page.get_by_label("Paste .env lines or JSON").fill(f"{name}_A=1\n{name}_B=2\n")
    click(page.get_by_role("button", name="Review changes"))
    click(page.get_by_role("button", name="Save 2 secrets"))
    expect(page.locator("#notices")).to_contain_text("Saved 2 secrets.")
    assert click.made <= 3


def test_a_function_is_deployed_in_three_clicks_and_rolled_back_in_two(page: Page) -> None:
    slug = f"clicks-{uuid4().hex[:8]}"
    for text in ("first", "second"):
        page.goto(f"{PROJECT}functions/{slug}/" if text == "second" else f"{PROJECT}functions/")
        click = Counter()
        click(page.get_by_role("link", name="Edit source" if text == "second" else "Deploy function").first)
        if text == "first":
            page.get_by_label("Slug").fill(slug)
        page.get_by_label("Source text").fill(f"Deno.serve(() => new Response('{text}'));\n")
        click(page.get_by_role("button", name="Review deployment"))
        click(page.get_by_role("button", name=f"Deploy {slug}"))
        page.wait_for_url(f"**/functions/{slug}/")
        assert click.made <= 3
    page.goto(f"{PROJECT}functions/{slug}/versions/")
    click = Counter()
    click(page.get_by_role("button", name="Roll back to version 1"))
    click(page.get_by_role("button", name=f"Roll back {slug} to version 1"))
    page.wait_for_url(f"**/functions/{slug}/")
    expect(page.locator(".code__text")).to_contain_text("first")
    assert click.made <= 2


def test_a_file_among_many_is_found_in_two_clicks_and_shared_with_a_password_in_three(
    page: Page, bucket: str, neighbour: Neighbour
) -> None:
    neighbour.fill(bucket, "many", [f"invoice {number:04}.pdf" for number in range(10_000)], size=10)
    page.goto(bucket)
    click = Counter()
    click(page.get_by_role("link", name="many", exact=True))
    expect(page.get_by_role("heading", level=1)).to_have_text("many")
    page.keyboard.press("/")
    page.keyboard.type("invoice 9999")
    click(page.get_by_role("link", name="invoice 9999.pdf", exact=True))
    expect(page.get_by_role("heading", name="invoice 9999.pdf")).to_be_visible()
    assert click.made <= 2
    click = Counter()
    click(page.get_by_role("link", name="Share", exact=True))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Protection").select_option("with a password")
    click.made += 1  # Chosen from a list.
    dialog.locator("input[name=password]").fill("four random words")
    click(dialog.get_by_role("button", name="Create link", exact=True))
    expect(dialog.locator(".links__address")).to_be_visible()
    assert click.made <= 3


def test_hostnames_take_one_click_and_what_happened_yesterday_two(page: Page) -> None:
    page.goto("/")
    click = Counter()
    click(page.get_by_role("link", name="Hostnames", exact=True).first)
    expect(page.locator(".overview__next .button").first).to_be_visible()
    assert click.made <= 1
    click = Counter()
    click(page.get_by_role("link", name="Activity", exact=True).first)
    click(page.get_by_role("link", name="Yesterday", exact=True))
    expect(page.get_by_role("link", name="Yesterday", exact=True)).to_have_attribute("aria-current", "true")
    assert click.made <= 2


def test_a_ban_is_lifted_in_three_taps_from_home_on_a_phone(open_page: NewPage) -> None:
    page = open_page(**PHONE)
    page.goto("/")
    tap = Counter()
    tap(page.get_by_role("link", name=re.compile("^Bans: [1-9]")).first)
    tap(page.get_by_role("link", name=re.compile("^Lift the ban of")).first)
    # The third tap would lift it, and other journeys count the bans.
    expect(page.get_by_role("dialog").get_by_role("button", name=re.compile("^Lift"))).to_be_visible()
    assert tap.made < 3
