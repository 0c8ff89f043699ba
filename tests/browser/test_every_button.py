"""Every element that asks for a part of the page, every button that opens a dialog, and every menu entry is pressed once.

The pages come from the table of addresses, with the sandbox's seed data: a dead button can't ship.
"""

import re
import time
from contextlib import suppress
from typing import Any

import pytest
from django.urls import resolve
from playwright.sync_api import Error, Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import COUNT, QUIET, cookies_of
from tests.features.network.desk import STAGING, TRACKING
from tests.features.test_calls import REF
from tests.features.test_frames import pages
from tests.launch.command import Started
from tests.launch.visitor import Visitor
from tests.plugins.exhaustive import Part, in_parts

OTHERS = (
    *(
        "/",
        "/organizations/",
        "/hostnames/",
        "/?view=storage",
        "/links/",
        "/jobs/",
        "/journal/",
        "/people/",
        "/account/",
    ),
    *("/sandbox/", "/sandbox/switches/"),
    *(f"/projects/{ref}/network/bans/" for ref in (TRACKING, STAGING)),
    f"/storage/{REF}/handbook/?path=welcome/",
)

# Where each kind of menu is, and what opens it.
MENUS = {
    "ban": (f"/projects/{REF}/network/bans/", '[popovertarget^="ban-"]'),
    "bucket": (f"/storage/{REF}/", '[popovertarget^="bucket-"]'),
    "bucket-menu": (f"/storage/{REF}/handbook/", '[popovertarget="bucket-menu"]'),
    "folder": (f"/storage/{REF}/handbook/", "tr:has(input[name=folder]) [data-more]"),
    "function": (f"/projects/{REF}/functions/", '[popovertarget^="function-"]'),
    "hostname-menu": (f"/projects/{REF}/hostname/", '[popovertarget="hostname-menu"]'),
    "key": (f"/storage/{REF}/handbook/?path=welcome/", "tr:has(input[name=key]) [data-more]"),
    "largest": (f"/storage/{REF}/handbook/~usage/", '[popovertarget^="largest-"]'),
    "member": ("/people/1/", '[popovertarget^="member-"]'),
    "newest": (f"/storage/{REF}/handbook/~usage/", '[popovertarget^="newest-"]'),
    "objects-sort": (f"/storage/{REF}/handbook/", '[popovertarget="objects-sort"]'),
    "page-menu": (f"/projects/{REF}/secrets/", '[popovertarget="page-menu"]'),
    "person-menu": ("/", '[popovertarget="person-menu"]'),
    "project": ("/", '[popovertarget^="project-"]'),
    "saved-menu": ("/", '[popovertarget="saved-menu"]'),
    "token": ("/account/", '[popovertarget^="token-"]'),
}

# What can be pressed: its path, which is what tells the kinds apart, and what is needed to find it again.
FIND = """() => {
  const asking = "a[hx-get], button[hx-get], button[hx-post][hx-target='#dialog']";
  window.pressable = () => [...document.querySelectorAll(asking)].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest("dialog, [popover]"));
  return window.pressable().map((one) => {
    const address = one.getAttribute("hx-get") ?? one.getAttribute("hx-post");
    const path = new URL(address, location).pathname;
    return { address, path, target: one.getAttribute("hx-target"), style: one.className, words: one.textContent.trim() };
  });
}"""

# Press it while the rest of the page asks for nothing, and tell what came of it when its answer has settled.
PRESS = """(number) => new Promise((resolve) => {
  const one = window.pressable()[number];
  let changes = 0;
  const watch = new MutationObserver((found) => (changes += found.length));
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  const done = () => setTimeout(() => resolve({
    open: document.querySelector("[data-dialog]").open,
    filled: Boolean(document.querySelector("#dialog #dialog-title")),
    changes,
    ids: [...document.querySelectorAll("[id]")].map((each) => each.id).filter((id, at, all) => all.indexOf(id) !== at),
  }), 50);
  let mine = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt === one) mine = event.detail.xhr;
    else event.preventDefault();
  });
  for (const end of ["htmx:afterSettle", "htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(end, (event) => { if (event.detail.xhr === mine) done(); });
  }
  setTimeout(done, 15000);
  one.click();
})"""


def dead(page: Page, path: str) -> list[str]:
    """What was pressed on this page and did nothing; one of each kind, since the same link in other rows does the same."""
    known: set[tuple[str, ...]] = set()
    found: list[str] = []
    while True:
        visit(page, path)
        there: list[dict[str, str]] = page.evaluate(FIND)
        kinds = [(resolve(one["path"]).view_name, one["target"] or "", one["style"]) for one in there]
        number = next((number for number, kind in enumerate(kinds) if kind not in known), None)
        if number is None:
            return found
        known.add(kinds[number])
        found += pressed(page, path, there[number], number)


def pressed(page: Page, path: str, one: dict[str, str], number: int) -> list[str]:
    """What is wrong with what came of one press."""
    try:
        came: dict[str, Any] = page.evaluate(PRESS, number)
    except Error:
        came = {"left": page.url}  # another page was opened
    words = f"{one['words']} {one['address']}"
    found = []
    if one["target"] == "#dialog" and not (came.get("open") and came.get("filled")):
        found.append(f"{path}: no dialog after {words}")
    if not came.get("changes") and "left" not in came:
        found.append(f"{path}: nothing changed after {words}")
    if came.get("ids"):
        found.append(f"{path}: {came['ids']} are there twice after {words}")
    return found


def visit(page: Page, path: str) -> None:
    """Open a page and wait until it asks for nothing more, also while what was pressed before is still opening another one."""
    for _ in range(5):
        with suppress(Error):
            page.goto(path)
            page.wait_for_function(QUIET)
            return
        page.wait_for_load_state("networkidle")
    raise AssertionError(f"{path} can't be opened: other pages open themselves")


def menus(text: str) -> set[str]:
    """The menus of a page; of its rows', one of each kind."""
    named = re.findall(r'popovertarget="([^"]+)"\s+data-menu', text)
    objects = re.findall(r'name="(key|folder)"[^>]*aria-label="Select"', text)
    return {re.sub(r"^(\w+)-[0-9a-z-]+-menu$", r"\1", menu) for menu in named} | set(objects)


def whole_pages(page: Page, part: Part) -> dict[str, str]:
    """Path and text of each page."""
    answers = {path: page.request.get(path) for path in part.of(dict.fromkeys((*OTHERS, *pages())))}
    return {path: answer.text() for path, answer in answers.items() if answer.ok and "<!doctype html>" in answer.text()[:400]}


@in_parts
def test_every_element_that_asks_for_something_does_something(page: Page, part: Part) -> None:
    page.add_init_script(COUNT)
    whole = whole_pages(page, part)
    assert whole
    found = [line for path in whole for line in dead(page, path)]
    assert not found, "\n".join(found)
    assert {menu for text in whole.values() for menu in menus(text)} <= set(MENUS)


@pytest.mark.exhaustive
@pytest.mark.parametrize("menu", MENUS)
def test_every_menu_entry_does_something(open_page: NewPage, pilothouse: Started, console: Console, menu: str) -> None:
    console.allow("info: Clear-Site-Data header")
    page = open_page(viewport={"width": 1280, "height": 800})
    with Visitor(pilothouse.address) as visitor:  # a session of its own: one of the entries ends it
        visitor.sign_in("owner@localhost")
        page.context.add_cookies(cookies_of(visitor))
    page.add_init_script(COUNT)
    assert idle(page, *MENUS[menu]) == []


def idle(page: Page, path: str, opener: str) -> list[str]:
    """The entries of one menu that do nothing."""
    entries = opened(page, path, opener)
    names = entries.all_inner_texts()
    assert names, f"{opener} on {path} opens no menu"
    return [name for number, name in enumerate(names) if not leads_on(page, opened(page, path, opener).nth(number))]


def opened(page: Page, path: str, opener: str) -> Locator:
    visit(page, path)
    page.locator(opener).first.click()
    entries = page.locator(".menu:popover-open .menu__item").filter(visible=True)
    expect(entries).not_to_have_count(0)
    return entries


def leads_on(page: Page, entry: Locator) -> bool:
    """Press it: it opens a dialog, another page or the choice of files, downloads something, says something, or stays pressed."""
    came: list[object] = []

    def hear(event: object) -> None:
        came.append(event)

    page.once("framenavigated", hear)
    page.once("download", hear)
    page.once("filechooser", hear)
    address = entry.get_attribute("hx-get")
    if address and entry.get_attribute("hx-target") != "#dialog":  # it reads a part of the page again
        page.on("response", lambda answer: hear(answer) if answer.ok and answer.url.endswith(address) else None)
    entry.click()
    until = time.monotonic() + 15
    filled = page.locator("dialog[open] #dialog-title, #notices .notice, [data-review][aria-pressed=true]")
    while not came and not filled.count() and time.monotonic() < until:
        page.wait_for_timeout(50)
    return bool(came or filled.count())
