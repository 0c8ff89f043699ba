"""Every element that asks for a part of the page, and every button that opens a dialog, is pressed once on every page.

The pages come from the table of addresses, with the sandbox's seed data: a dead button can't ship.
"""

from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error, Page

from tests.features.network.desk import STAGING, TRACKING
from tests.features.test_frames import pages
from tests.launch.command import Started

pytestmark = pytest.mark.browser

PRESSED = "a[hx-get], button[hx-get], button[hx-post][hx-target='#dialog']"
OTHERS = (
    *("/", "/projects/", "/organizations/", "/hostnames/", "/storage/", "/links/", "/jobs/", "/journal/", "/team/", "/account/"),
    *(f"/projects/{ref}/network/bans/" for ref in (TRACKING, STAGING)),
)

# What can be pressed, one of each kind: the same link in other rows does the same.
FIND = """(pressed) => {
  const seen = new Set();
  return [...document.querySelectorAll(pressed)].flatMap((one, number) => {
    const shown = one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest("dialog, [popover]");
    const where = one.getAttribute("hx-get") ?? one.getAttribute("hx-post");
    const kind = `${new URL(where, location).pathname} ${one.getAttribute("hx-target")} ${one.className}`;
    if (!shown || seen.has(kind)) return [];
    seen.add(kind);
    return [{ number, target: one.getAttribute("hx-target"), words: `${one.textContent.trim()} ${where}` }];
  });
}"""

# Press it; tell what came of it when its own answer has settled, or the page is left. Other parts of a page settle, too.
PRESS = """([pressed, number]) => new Promise((resolve) => {
  const one = document.querySelectorAll(pressed)[number];
  let changes = 0;
  const watch = new MutationObserver((found) => (changes += found.length));
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  const done = () => setTimeout(() => resolve({
    open: document.querySelector("[data-dialog]").open,
    filled: Boolean(document.querySelector("#dialog #dialog-title")),
    changes,
    ids: [...document.querySelectorAll("[id]")].map((each) => each.id).filter((id, at, all) => all.indexOf(id) !== at),
  }), 50);
  let mine = null;
  document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.elt === one) mine = event.detail.xhr; });
  for (const end of ["htmx:afterSettle", "htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(end, (event) => { if (event.detail.xhr === mine) done(); });
  }
  setTimeout(done, 15000);
  one.click();
})"""


def dead(page: Page, path: str) -> list[str]:
    """What was pressed on this page and did nothing, also when it was pressed again: a part may replace itself under a press."""
    visit(page, path)
    found: list[str] = []
    for one in page.evaluate(FIND, PRESSED):
        complaints = pressed(page, path, one)
        found += complaints and pressed(page, path, one)
    return found


def pressed(page: Page, path: str, one: dict[str, Any]) -> list[str]:
    """What is wrong with what came of one press."""
    try:
        came: dict[str, Any] = page.evaluate(PRESS, [PRESSED, one["number"]])
    except Error:
        came = {"left": page.url}  # another page was opened
    found = []
    if one["target"] == "#dialog" and not (came.get("open") and came.get("filled")):
        found.append(f"{path}: no dialog after {one['words']}")
    if not came.get("changes") and "left" not in came:
        found.append(f"{path}: nothing changed after {one['words']}")
    if came.get("ids"):
        found.append(f"{path}: {came['ids']} are there twice after {one['words']}")
    visit(page, path)
    return found


def visit(page: Page, path: str) -> None:
    """Open a page, also while what was pressed before is still opening another one."""
    for _ in range(5):
        with suppress(Error):
            page.goto(path)
            return
        page.wait_for_load_state("networkidle")
    raise AssertionError(f"{path} can't be opened: other pages open themselves")


def test_every_element_that_asks_for_something_does_something(page: Page, pilothouse: Started) -> None:
    answers = [page.request.get(path) for path in (*OTHERS, *pages())]
    whole = dict.fromkeys(answer.url for answer in answers if answer.ok and "<!doctype html>" in answer.text()[:400])
    assert len(whole) > 30
    found = [line for address in whole for line in dead(page, address.removeprefix(pilothouse.address))]
    assert not found, "\n".join(found)
