"""Opening a share link against the bare sign call that it needs: requests a second, side by side, in alternating rounds."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import local
from urllib.parse import quote

import requests

from tests.bench.rig import store_tokens
from tests.bench.table import say, show
from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox

BUCKET, KEY = "bench", "share me.txt"
CALLERS = 8
TIMES = 400


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
                _compare(sandbox, started, space, key, rounds)
        finally:
            stop_sandbox(sandbox)


def _compare(sandbox: Sandbox, started: Started, space: str, key: str, rounds: int) -> None:
    storage, headers = sandbox.storage(space), {"Authorization": f"Bearer {key}"}
    requests.post(f"{storage}/bucket/", json={"name": BUCKET}, headers=headers, timeout=10).raise_for_status()
    requests.post(f"{storage}/object/{BUCKET}/{quote(KEY)}", data=b"x", headers={**headers, "x-upsert": "true"}, timeout=10)
    with Visitor(started.address) as visitor:
        assert started.link
        visitor.enter_by(started.link)
        page, direct = (_share(visitor, space, landing) for landing in ("page", "direct"))
    sign = f"{storage}/object/sign/{BUCKET}/{quote(KEY)}"

    def signed(session: requests.Session) -> int:
        return session.post(sign, json={"expiresIn": 60}, headers=headers, timeout=30).status_code

    def opened(address: str) -> Callable[[requests.Session], int]:
        return lambda session: session.get(address, allow_redirects=False, timeout=30).status_code

    ways = {
        "the bare sign call": (signed, 200),
        "a direct link": (opened(direct), 302),
        "the page of a link": (opened(page), 200),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (call, status) in ways.items():
            rates[name].append(_rate(call, status))
    bare = rates["the bare sign call"]
    rows = [
        [name, f"{median(found):.0f}", f"{median(ours / theirs for ours, theirs in zip(found, bare, strict=True)):.2f}"]
        for name, found in rates.items()
    ]
    show(
        f"Opening a share link, {CALLERS} callers, medians of {rounds} alternating rounds of {TIMES}",
        ["what", "requests a second", "of the bare call"],
        rows,
    )
    say(f"the sandbox and Pilothouse shared this machine's processors, {datetime.now(UTC):%Y-%m-%d}")


def _share(visitor: Visitor, space: str, landing: str) -> str:
    asked = visitor.get(f"/storage/{space}/{quote(BUCKET)}/~share/?key={quote(KEY)}")
    text = str(visitor.submit(asked, life="86400", landing=landing).text)
    return text.partition('<code class="links__address" title="')[2].partition('"')[0]


def _rate(call: Callable[[requests.Session], int], status: int) -> float:
    """Requests a second of so many callers, each with a connection that it keeps."""
    own = local()

    def one(_: int) -> int:
        if not hasattr(own, "session"):
            own.session = requests.Session()
        return call(own.session)

    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(one, range(CALLERS * 4)))
        begun = time.monotonic()
        answers = list(callers.map(one, range(TIMES)))
        taken = time.monotonic() - begun
    wrong = [answer for answer in answers if answer != status]
    if wrong:
        raise RuntimeError(f"{len(wrong)} answers were not {status}: {sorted(set(wrong))}")
    return TIMES / taken
