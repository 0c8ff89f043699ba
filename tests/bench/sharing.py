"""Opening share links against the bare sign call that they need: calls a second, side by side, in alternating rounds."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import quote

import requests

from tests.bench.callers import CALLERS, Call, call, rate
from tests.bench.rig import make_links, store_tokens
from tests.bench.table import say, show
from tests.launch.command import starting
from tests.sandboxes import start_sandbox, stop_sandbox

BUCKET, KEY = "bench", "share me.txt"
OBJECTS = 100
TIMES = 600
WARM = 4 * CALLERS

SIGN = "the bare sign call (S14)"
BROWSER = {"User-Agent": "Mozilla/5.0", "Accept": "text/html", "Accept-Encoding": "gzip"}

# By name: the calls of a round, and the status that each must have.
Ways = dict[str, tuple[Callable[[], list[Call]], int]]


def run(*, rounds: int) -> None:
    with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        sandbox = start_sandbox(Path(folder) / "sandbox")
        space = next(iter(sandbox.storage_tokens))
        key = sandbox.storage_tokens[space]["service"]
        settings = {"MANAGEMENT_URL": sandbox.management_url, "STORAGE_URL": sandbox.storage_url}
        try:
            with starting(Path(folder) / "data", **settings) as started:
                started.wait_until_ready()
                store_tokens(started, [("management", "", sandbox.personal_token), ("storage", space, key)], settings)
                storage, headers = sandbox.storage(space), {"Authorization": f"Bearer {key}"}
                _fill(storage, headers)
                fresh = (TIMES + WARM) * rounds
                codes = make_links(started, settings, place=(space, BUCKET, KEY), landing=[True, False] * (fresh + 1))
                links = [call("GET", f"{started.address}/l/{code}", headers=BROWSER) for code in codes]
                _compare({**_bare(storage, headers), **_openings(links[::2], links[1::2])}, rounds)
        finally:
            stop_sandbox(sandbox)


def _fill(storage: str, headers: dict[str, str]) -> None:
    with requests.Session() as session:
        session.headers.update(headers)
        session.post(f"{storage}/bucket/", json={"name": BUCKET}, timeout=10).raise_for_status()
        for key in (KEY, *(f"object {number}.txt" for number in range(OBJECTS - 1))):
            session.post(f"{storage}/object/{BUCKET}/{quote(key)}", data=b"x", timeout=10).raise_for_status()


def _bare(storage: str, headers: dict[str, str]) -> Ways:
    sign = call("POST", f"{storage}/object/sign/{BUCKET}/{quote(KEY)}", body=b'{"expiresIn":60}', headers=headers)
    wish = b'{"prefix":"","limit":100,"offset":0,"sortBy":{"column":"name","order":"asc"}}'
    page = call("POST", f"{storage}/object/list/{BUCKET}", body=wish, headers=headers)
    return {SIGN: (_again(sign), 200), f"the bare list call (S13), {OBJECTS} objects": (_again(page), 200)}


def _openings(pages: list[Call], directs: list[Call]) -> Ways:
    return {
        "a direct link, again and again": (_again(directs[-1]), 302),
        "the page of a link, again and again": (_again(pages[-1]), 200),
        "direct links, each opened once": (_once(directs), 302),
        "pages of links, each opened once": (_once(pages), 200),
    }


def _again(each: Call) -> Callable[[], list[Call]]:
    return lambda: [each] * (TIMES + WARM)


def _once(some: list[Call]) -> Callable[[], list[Call]]:
    left = iter(some)
    return lambda: list(islice(left, TIMES + WARM))


def _compare(ways: Ways, rounds: int) -> None:
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (calls, status) in ways.items():
            these = calls()
            rate(these[:WARM], status)
            rates[name].append(rate(these[WARM:], status))
    rows = [
        [name, f"{median(found):.0f}", f"{median(ours / bare for ours, bare in zip(found, rates[SIGN], strict=True)):.2f}"]
        for name, found in rates.items()
    ]
    show(
        f"Opening share links, {CALLERS} callers, medians of {rounds} alternating rounds of {TIMES}",
        ["what", "calls a second", "of the bare sign call"],
        rows,
    )
    say(f"the sandbox and Pilothouse shared this machine's processors, {datetime.now(UTC):%Y-%m-%d}")
