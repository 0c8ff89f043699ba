"""Steps that browser tests repeat."""

import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Locator, Page, Request, Route, ViewportSize, expect

from tests.launch.visitor import Visitor
from tests.plugins.exhaustive import is_asked_here

three_ways = pytest.mark.parametrize(
    "options",
    [
        {"viewport": {"width": 1440, "height": 900}},
        {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
        {"viewport": {"width": 1024, "height": 768}, "java_script_enabled": False},
    ],
    ids=["wide", "phone in the dark", "no script"],
)

MEBIBYTE = 1 << 20
PHONE: ViewportSize = {"width": 390, "height": 844}
SPACE = "/storage/ktmvqhzwrbnxpgaydcle/"
# Counts the requests of each page that are under way, so that a test can wait for the last one.
COUNT = """
window.underway = 0;
const send = XMLHttpRequest.prototype.send;
XMLHttpRequest.prototype.send = function (...body) {
  window.underway += 1;
  this.addEventListener("loadend", () => setTimeout(() => { window.underway -= 1; }, 50));
  return send.apply(this, body);
};
"""
QUIET = "() => document.readyState === 'complete' && window.underway === 0"
# A page is laid out anew by the next frame, and half-faded text has half its contrast.
STILL = """async () => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  await Promise.allSettled(
    document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished)
  );
}"""


def top(page: Page, selector: str) -> float:
    """Return where the first such element begins in the window. Asked at once: a list may be replaced at any time."""
    found = page.evaluate("(selector) => document.querySelector(selector)?.getClientRects()[0]?.top", selector)
    assert found is not None, f"{selector} has no place"
    return float(found)


def new_bucket(page: Page) -> str:
    """Create a bucket in the first project by Pilothouse, in a form that no browser draws, and open it. Return its address."""
    name = f"journey {uuid4().hex[:8]}"
    submit(page, f"{SPACE}~new/", name=name)
    page.goto(f"{SPACE}{quote(name)}/")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    return page.url


def cookies_of(visitor: Visitor) -> list[Any]:
    """The session of somebody without a browser, as a context takes it."""
    return [{"name": name, "value": value, "url": visitor.address} for name, value in visitor.session.cookies.items()]


@contextmanager
def overtaken(page: Page, address: str) -> Iterator[None]:
    """Let another answer come after the one of a GET of this address that the block causes, before that has settled."""
    page.evaluate("htmx.config.defaultSettleDelay = 3000")
    with page.expect_response(lambda response: response.request.method == "GET" and address in response.url):
        yield
    with page.expect_response(lambda response: "/jobs/tray/" in response.url):
        page.evaluate("htmx.trigger(document.body, 'jobs:changed')")


def make_older(path: Path, *, minutes: int, with_list: bool = False) -> None:
    """Let all facts have been read earlier, and the list of projects."""
    with closing(sqlite3.connect(path, timeout=20)) as database, database:
        older = f"datetime(tried_at, '-{minutes} minutes')"
        database.execute(f"UPDATE facts_keptfact SET tried_at = {older}, read_at = {older} WHERE read_at IS NOT NULL")
        if with_list:
            database.execute(f"UPDATE tokens_lastknown SET read_at = datetime(read_at, '-{minutes} minutes')")


def expect_read(page: Page) -> None:
    """Wait until the list of projects is up to date and each of its rows was read, as long as one after the other is."""
    unread = page.locator("#home-unread, #home-waiting, [data-turn], .attention__checked")
    for _ in range(2000):
        if not (left := unread.count()):
            return
        expect(unread).not_to_have_count(left, timeout=60_000)
    raise AssertionError("rows are read again and again")


def submit(page: Page, address: str, **typed: str) -> str:
    """Fill a form that no browser draws, and send it. Return the answer's text."""
    form = page.request.get(address)
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form.text()))
    answer = page.request.post(form.url, form={**hidden, **typed}, headers={"Referer": form.url})
    assert answer.ok, answer.text()
    return answer.text()


def shared(page: Page, bucket: str, query: str, **typed: str) -> str:
    """Share by the form, which no browser draws. Return the link."""
    made = submit(page, f"{bucket}~share/?{query}", life="604800", landing="page", **typed)
    found = re.search(r"http://[^\s\"<]+/l/[\w-]+", made)
    assert found, made
    return found[0]


def drop(page: Page, *paths: Path) -> None:
    """Drag files or folders from the desktop onto the page."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 600, "y": 500, "data": data})
    session.detach()


@dataclass
class Held:
    """Requests that are held back, in the order in which they came."""

    page: Page
    routes: list[Route] = field(default_factory=list)

    def next(self) -> Route:
        """Wait for the first one. Return it, to be continued."""
        for _ in range(3000):
            if self.routes:
                return self.routes.pop(0)
            self.page.wait_for_timeout(10)
        raise AssertionError("no request came")


@contextmanager
def hold(page: Page, address: str | re.Pattern[str], *, only: Callable[[Request], bool] | None = None) -> Iterator[Held]:
    """Hold the requests of these addresses back. At the end, those still held go on."""
    held = Held(page)
    is_over = False

    def take(route: Route) -> None:
        if is_over or (only and not only(route.request)):
            route.fallback()
        else:
            held.routes.append(route)

    page.route(address, take)
    yield held
    is_over = True
    for route in held.routes:
        route.continue_()
    page.unroute(address, take)


def pick(page: Page, *paths: Path) -> None:
    """Choose files by the button."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("link", name="Upload files").click()
    chooser.value.set_files([str(path) for path in paths])


def total(page: Page, words: str, *, seconds: float = 20) -> None:
    """Wait until the tray's line of totals has these words."""
    expect(page.locator("[data-part=total]")).to_contain_text(words, timeout=seconds * 1000)


def accessible(page: Page) -> None:
    """Let the page come to rest, and check it with axe; in a run of samples one page in eight."""
    page.evaluate(STILL)
    if is_asked_here():
        without_violations(page)


def without_violations(page: Page) -> None:
    """Check the page with axe, loaded once a page. It must not fetch style sheets again, as the content policy would object."""
    page.evaluate(STILL)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run({preload: false, resultTypes: ['violations']}).then((all) => ({violations: all.violations}))")
    assert not found["violations"], AxeResults(found).generate_report()


def verify(page: Page) -> None:
    """Verify the hostname once its records were looked up, which draws the button anew."""
    expect(page.locator("#hostname-records")).to_contain_text("Resolvers:")
    page.get_by_role("button", name="Verify now").click()


def write(folder: Path, **files: str) -> list[Path]:
    """Write files by name and text. `__` in a name stands for the dot before the extension."""
    paths = [folder / name.replace("__", ".") for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return paths


def keep_scrolling(page: Page, count: int) -> None:
    """Scroll until the list has this many objects. Rows are laid out only when they come into view, which may move the end."""
    page.wait_for_function(
        """count => {
  document.querySelector(".more")?.scrollIntoView();
  return document.querySelectorAll("input[name=key]").length === count;
}""",
        arg=count,
    )


def row(page: Page, name: str) -> None:
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def twelve_files(folder: Path, *, large: int) -> Path:
    """A folder with an image, a PDF, texts in several scripts, an empty file and one of `large` MiB."""
    texts = {
        "notes/greek.txt": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
        "notes/arabic.txt": "نص حكيم له سر قاطع",
        "notes/chinese.txt": "視野無限廣 窗外有藍天",
        "notes/russian.txt": "Съешь ещё этих мягких французских булок",
        "notes/hindi.txt": "ऋषियों को सताने वाले",
        "notes/emoji.txt": "🛟 ⚓ 🧭",
        "read me.md": "# Read me\n",
        "data/table+1.csv": "a,b\n1,2\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "picture.png").write_bytes(png())
    (folder / "paper.pdf").write_bytes(b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n")
    (folder / "empty.bin").touch()
    with (folder / "film.bin").open("wb") as film:
        for number in range(large):
            film.write(bytes([number]) * MEBIBYTE)
    return folder


def png() -> bytes:
    """A real picture of 2 x 2 dots."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))

    dots = b"".join(b"\0" + bytes([row * 80, 120, 200] * 2) for row in range(2))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(dots))
        + chunk(b"IEND", b"")
    )


def setup_of_hostname(page: Page) -> Locator:
    """Return what the page of a hostname offers once the project is up, which takes a new one some seconds."""
    expect(page.get_by_text("No custom hostname", exact=True)).to_be_visible()
    while not (link := page.get_by_role("link", name="Set up hostname")).count():
        page.wait_for_timeout(500)
        page.reload()
    return link
