"""Home with 200 projects on a service that enforces its rate limits: first byte, the rows, calls per minute."""

import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from statistics import median

import requests

from tests.bench.rig import over_sandbox
from tests.bench.table import show
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

PROJECTS = 200
# How many rows are in sight at 1440 x 900, and how many load at a time: each makes four of the eight calls.
IN_SIGHT = 17
AT_ONCE = 2
MORE = re.compile(r'id="home-more" hx-get="([^"]+)"')
ROW = re.compile(r'data-turn="(\d+)"\s+hx-get="([^"]+)"')


def run(*, rounds: int) -> None:
    with over_sandbox(_fill, "--rate-limit") as (_, _, visitor, _):
        empty = _first_bytes(visitor, rounds * 10)
        listed = _part(visitor, "/", "home-waiting").text
        more = MORE.search(listed)
        rows = ROW.findall(listed + (_part(visitor, unescape(more[1]), "home-more").text if more else ""))
        begun = time.monotonic()
        ended: list[tuple[float, int]] = []
        refused = Counter[str]()

        def load(row: tuple[str, str]) -> None:
            calls, address = row
            answer = _part(visitor, address)
            while wait := answer.headers.get("Retry-After"):
                refused["pauses"] += 1
                time.sleep(float(wait))
                answer = _part(visitor, address)
            ended.append((time.monotonic() - begun, int(calls)))

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(load, rows))
        minutes = Counter[int]()
        for moment, calls in ended:
            minutes[int(moment // 60)] += calls
        known = _first_bytes(visitor, rounds * 10)
        show(
            f"Home with {len(rows)} projects, limits enforced",
            ["what", "figure"],
            [
                ["first byte, nothing known, median ms", f"{empty:.0f}"],
                ["first byte, all rows known, median ms", f"{known:.0f}"],
                [f"{IN_SIGHT} rows in sight, s", f"{ended[IN_SIGHT - 1][0]:.1f}"],
                ["all rows, s", f"{ended[-1][0]:.0f}"],
                ["calls by minute", ", ".join(str(minutes[minute]) for minute in sorted(minutes))],
                ["pauses asked for", str(refused["pauses"])],
            ],
        )


def _fill(sandbox: Sandbox, _folder: Path) -> None:
    """Create projects until there are 200; the limit counts these calls, too."""
    headers = {"Authorization": f"Bearer {sandbox.personal_token}"}
    address = f"{sandbox.management_url}/v1/projects"
    missing = PROJECTS - len(requests.get(address, headers=headers, timeout=30).json())
    for number in range(missing):
        body = {"name": f"many-{number:03}", "organization_id": "quiet-harbour-heron", "db_pass": "demo", "region": "eu-west-1"}
        while (answer := requests.post(address, json={**body, "plan": "free"}, headers=headers, timeout=30)).status_code == 429:
            time.sleep(float(answer.headers["Retry-After"]))
        answer.raise_for_status()


def _part(visitor: Visitor, address: str, target: str = "") -> requests.Response:
    answer = visitor.session.get(visitor.address + address, headers={"HX-Request": "true", "HX-Target": target}, timeout=60)
    answer.raise_for_status()
    return answer


def _first_bytes(visitor: Visitor, times: int) -> float:
    """Return the median in ms, with the page already warm."""
    found = []
    for _ in range(times + 1):
        begun = time.monotonic()
        with visitor.session.get(f"{visitor.address}/", stream=True, timeout=30) as answer:
            next(answer.iter_content(1))
            found.append((time.monotonic() - begun) * 1000)
    return median(found[1:])
