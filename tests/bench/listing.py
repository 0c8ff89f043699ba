"""The cost of listing a folder: the first page compared with the bare call, and each further page in a browser."""

import gzip
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import brotli  # type: ignore[import-untyped] # it has no types
import requests
from playwright.sync_api import sync_playwright

from tests.bench.processes import cost
from tests.bench.rig import over_sandbox
from tests.bench.table import show
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

PROJECT = "ktmvqhzwrbnxpgaydcle"
BUCKET = "bench"
FOLDERS = {1_000: "thousand", 10_000: "ten thousand", 100_000: "hundred thousand"}
ROWS = 2_000
PAGE = 100
PART = 200
FRAGMENT = {"HX-Request": "true", "HX-Target": "objects"}
# `drawn`: from the arrival of the answer to the frame after the new rows were laid out; `whole`: from asking for them.
APPEND = """async () => {
  const bodies = () => document.querySelectorAll("[data-rows] tbody");
  const before = bodies().length;
  let came = 0;
  document.addEventListener("htmx:beforeSwap", () => { came = performance.now(); }, { once: true });
  const drawn = new Promise((resolve) => {
    document.addEventListener("htmx:afterSettle", () => requestAnimationFrame(() => setTimeout(resolve)), { once: true });
  });
  const asked = performance.now();
  bodies()[before - 1].querySelector(".more").scrollIntoView();
  await drawn;
  if (bodies().length <= before) throw new Error("no rows came");
  return { drawn: performance.now() - came, whole: performance.now() - asked };
}"""


def run(*, rounds: int) -> None:
    with over_sandbox(_fill, project=PROJECT) as (sandbox, started, visitor, _):
        pids = [pid for pid, command in started.children().items() if "gunicorn_config" in command]
        show(
            f"The first page of a folder, medians of {rounds * 5} alternating rounds",
            ["objects", "bare S13 ms", "page ms", "beyond it", "page KiB", "gzip", "brotli", "fragment gzip", "brotli", "CPU ms"],
            [_first(sandbox, visitor, pids, count, folder=folder, times=rounds * 5) for count, folder in FOLDERS.items()],
        )
        show(
            f"A list grown to row {ROWS:,} in Chromium: from the answer to the next frame",
            ["objects", "appends", "median ms", "longest ms", "the last ms", "with the answer, median ms"],
            [_appends(visitor, count, folder) for count, folder in FOLDERS.items() if count >= ROWS],
        )


def _fill(sandbox: Sandbox, folder: Path) -> None:
    """Upload one object per folder, and write the others into the sandbox's table beside it: of a kind without thumbnails."""
    storage, key = sandbox.storage(PROJECT), sandbox.storage_tokens[PROJECT]["service"]
    headers = {"Authorization": f"Bearer {key}"}
    requests.post(f"{storage}/bucket/", json={"name": BUCKET}, headers=headers, timeout=10).raise_for_status()
    headers["Content-Type"] = "text/csv"
    for name in FOLDERS.values():
        requests.post(f"{storage}/object/{BUCKET}/{name}/{_name(0)}", b"x" * 4096, headers=headers, timeout=30).raise_for_status()
    with closing(sqlite3.connect(folder / "sandbox.sqlite3", timeout=30)) as database:
        for count, name in FOLDERS.items():
            _multiply(database, name, count)
        database.commit()


def _multiply(database: sqlite3.Connection, folder: str, count: int) -> None:
    cursor = database.execute("SELECT * FROM sandbox_storage_entry WHERE parent = ?", (f"{folder}/",))
    columns = [column[0] for column in cursor.description]
    row = dict(zip(columns, cursor.fetchone(), strict=True))
    row.pop("id")

    def entry(number: int) -> dict[str, object]:
        name = _name(number)
        own = {"name": name, "sort_name": name, "key": f"{folder}/{name}", "object_id": uuid4().hex, "version": uuid4().hex}
        return {**row, **own, "size": 1000 + number * 37, "updated_at": row["updated_at"] + number * 61_000}

    marks = ", ".join(f":{column}" for column in row)
    statement = f"INSERT INTO sandbox_storage_entry ({', '.join(row)}) VALUES ({marks})"
    database.executemany(statement, map(entry, range(1, count)))
    database.execute("UPDATE sandbox_storage_entry SET descendants = ? WHERE kind = 0 AND name = ?", (count, folder))


def _name(number: int) -> str:
    return f"report-{number:06}-quarterly-figures.csv"


def _first(sandbox: Sandbox, visitor: Visitor, pids: list[int], count: int, *, folder: str, times: int) -> list[str]:
    key = sandbox.storage_tokens[PROJECT]["service"]
    body = {"prefix": f"{folder}/", "limit": PAGE + 1, "sortBy": {"column": "name", "order": "asc"}}
    address = f"{visitor.address}/storage/{PROJECT}/{BUCKET}/?path={quote(folder)}%2F"
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {key}"

        def bare() -> bytes:
            return session.post(f"{sandbox.storage(PROJECT)}/object/list/{BUCKET}", json=body, timeout=60).content

        ways: dict[str, Callable[[], bytes]] = {
            "bare": bare,
            "page": lambda: visitor.session.get(address, timeout=60).content,
            "part": lambda: visitor.session.get(address, headers=FRAGMENT, timeout=60).content,
        }
        last = {name: way() for name, way in ways.items()}
        taken: dict[str, list[float]] = {name: [] for name in ways}
        before = cost(pids)
        for _ in range(times):
            for name, way in ways.items():
                begun = time.monotonic()
                last[name] = way()
                taken[name].append(time.monotonic() - begun)
    spent = (cost(pids) - before).cpu / times / 2
    assert last["part"].count(b'name="key"') == PAGE
    middle = {name: median(seconds) * 1000 for name, seconds in taken.items()}
    return [
        f"{count:,}",
        f"{middle['bare']:.1f}",
        f"{middle['page']:.1f}",
        f"{median(page - bare for page, bare in zip(taken['page'], taken['bare'], strict=True)) * 1000:.1f}",
        f"{len(last['page']) / 1024:.1f}",
        *(f"{size:.1f}" for size in (*_compressed(last["page"]), *_compressed(last["part"]))),
        f"{spent * 1000:.1f}",
    ]


def _appends(visitor: Visitor, count: int, folder: str) -> list[str]:
    cookies: list[Any] = [
        {"name": name, "value": value, "url": visitor.address} for name, value in visitor.session.cookies.items()
    ]
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        context = browser.new_context(viewport={"width": 1440, "height": 900}, base_url=visitor.address)
        context.add_cookies(cookies)
        page = context.new_page()
        page.goto(f"/storage/{PROJECT}/{BUCKET}/?path={quote(folder)}%2F")
        page.locator("[data-rows] .more").wait_for()
        shown = page.locator("[data-rows] tbody > tr:not(.more)").count()
        taken = [page.evaluate(APPEND) for _ in range(shown, ROWS, PART)]
        assert page.locator("[data-rows] input[name=key]").count() == ROWS
        browser.close()
    drawn, whole = [one["drawn"] for one in taken], [one["whole"] for one in taken]
    return [
        f"{count:,}",
        f"{len(taken)}",
        f"{median(drawn):.0f}",
        f"{max(drawn):.0f}",
        f"{drawn[-1]:.0f}",
        f"{median(whole):.0f}",
    ]


def _compressed(body: bytes) -> tuple[float, float]:
    """Return KiB by gzip and by brotli, as a proxy in front compresses while it sends."""
    return len(gzip.compress(body, 6)) / 1024, len(brotli.compress(body, quality=7)) / 1024
