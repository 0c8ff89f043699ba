"""The cost of a page beyond the calls it makes: time, processor, bytes. And what it shows if the service hangs."""

import gzip
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import requests

from tests.bench.processes import cost
from tests.bench.rig import give_access, over_sandbox
from tests.bench.table import show
from tests.launch.command import Started
from tests.launch.visitor import Visitor, invited
from tests.sandboxes import Sandbox

PROJECT = "ktmvqhzwrbnxpgaydcle"
BUCKET = "bench"
DELAY = 0.05
ROWS = 300


@dataclass(frozen=True, slots=True)
class Asked:
    """A page, and the slowest of the calls that it makes in parallel."""

    page: str
    method: str
    call: str
    body: object = None


MANAGED, STORED = f"/projects/{PROJECT}/", f"/{PROJECT}/storage/v1"
OF_PROJECT = f"/v1/projects/{PROJECT}/"
PAGES = {
    "projects": Asked("/?list=now", "GET", "/v1/projects"),
    "one project": Asked(MANAGED, "GET", "/v1/projects"),
    "secrets": Asked(f"{MANAGED}secrets/", "GET", f"{OF_PROJECT}secrets"),
    "functions": Asked(f"{MANAGED}functions/", "GET", f"{OF_PROJECT}functions"),
    "hostname": Asked(f"{MANAGED}hostname/", "GET", f"{OF_PROJECT}custom-hostname"),
    "bans": Asked(f"{MANAGED}network/bans/", "POST", f"{OF_PROJECT}network-bans/retrieve"),
    "restrictions": Asked(f"{MANAGED}network/restrictions/", "GET", f"{OF_PROJECT}network-restrictions"),
    "root key": Asked(f"{MANAGED}encryption/", "GET", f"{OF_PROJECT}pgsodium"),
    "buckets": Asked(f"/storage/{PROJECT}/", "GET", f"{STORED}/bucket/"),
    "objects": Asked(f"/storage/{PROJECT}/{BUCKET}/", "POST", f"{STORED}/object/list/{BUCKET}", {"prefix": "", "limit": 101}),
}
# The part requested, by which query, for which element.
LISTS = {
    "whole page": ("", ""),
    "its browser": ("", "objects"),
    "its list": ("", "objects-list"),
    "what is added below": ("?offset=100", "objects-more-100"),
}
# Through a grant, one more call (S15) confirms the object list.
GRANTED = ("functions", "bans", "objects")
COLLEAGUE = "colleague@localhost"
MANY = {"start": "/", "hostnames": "/hostnames/", "find an address": "/?view=network&address=203.0.113.10"}


def run(*, rounds: int) -> None:
    with _running() as (sandbox, started, visitor, colleague):
        _fault(sandbox, operation="*", delay=DELAY)
        rows = [_measure(name, asked, sandbox, visitor, rounds * 10) for name, asked in PAGES.items()]
        columns = ["page", "the bare call, ms", "page, median ms", "beyond the call", "p95 beyond", "page KiB", "gzip KiB"]
        show(f"Pages over a service that takes {DELAY * 1000:.0f} ms a call, {rounds * 10} times each", columns, rows)

        columns = ["page", "own token, ms", "a grant, ms", "of it the confirming call", "more through the grant"]
        rows = [_through_a_grant(name, sandbox, visitor, colleague, rounds * 20) for name in GRANTED]
        show(f"Pages through a grant, medians of {rounds * 20} in turn", columns, rows)

        _mend(sandbox)
        pids = [pid for pid, command in started.children().items() if "gunicorn_config" in command]
        show(
            f"A folder of {ROWS} objects, {rounds * 20} times",
            ["what", "rows", "CPU ms", "KiB", "gzip KiB"],
            [_rows(visitor, pids, rounds * 20, what=what) for what in LISTS],
        )

        _fault(sandbox, operation="*", delay=20)
        show(
            "First byte where the service hangs",
            ["page", "median ms", "longest ms"],
            [_first_byte(name, address, visitor, rounds * 5) for name, address in MANY.items()],
        )


@contextmanager
def _running() -> Iterator[tuple[Sandbox, Started, Visitor, Visitor]]:
    with (
        over_sandbox(_fill, project=PROJECT) as (sandbox, started, visitor, settings),
        invited(visitor, COLLEAGUE) as colleague,
    ):
        grants: list[tuple[object, ...]] = [
            (COLLEAGUE, "management", PROJECT, ["read"], ["functions", "network"], []),
            (COLLEAGUE, "storage", PROJECT, ["read"], [], [f"{BUCKET}/"]),
        ]
        give_access(started, grants, settings)
        yield sandbox, started, visitor, colleague


def _fill(sandbox: Sandbox, _folder: Path) -> None:
    storage, key = sandbox.storage(PROJECT), sandbox.storage_tokens[PROJECT]["service"]
    headers = {"Authorization": f"Bearer {key}"}
    requests.post(f"{storage}/bucket/", json={"name": BUCKET}, headers=headers, timeout=10).raise_for_status()

    def put(number: int) -> None:
        address = f"{storage}/object/{BUCKET}/report-{number:04}-quarterly-figures.pdf"
        requests.post(
            address, data=b"x" * number, headers={**headers, "Content-Type": "application/pdf"}, timeout=30
        ).raise_for_status()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(ROWS)))


def _fault(sandbox: Sandbox, **fault: object) -> None:
    _mend(sandbox)
    requests.post(f"{sandbox.management_url}/_faults", json=fault, headers=_personal(sandbox), timeout=10).raise_for_status()


def _mend(sandbox: Sandbox) -> None:
    requests.delete(f"{sandbox.management_url}/_faults", headers=_personal(sandbox), timeout=10).raise_for_status()


def _personal(sandbox: Sandbox) -> dict[str, str]:
    return {"Authorization": f"Bearer {sandbox.personal_token}"}


def _measure(name: str, asked: Asked, sandbox: Sandbox, visitor: Visitor, times: int) -> list[str]:
    """Measure alternately the bare call, on a connection that stays open, and the page."""
    token = sandbox.storage_tokens[PROJECT]["service"] if asked.call.startswith(STORED) else sandbox.personal_token
    page: list[float] = []
    bare: list[float] = []
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        for _ in range(times + 1):
            begun = time.monotonic()
            answer = session.request(asked.method, sandbox.management_url + asked.call, json=asked.body, timeout=20)
            bare.append(time.monotonic() - begun)
            answer.raise_for_status()
            begun = time.monotonic()
            body = visitor.get(asked.page).content
            page.append(time.monotonic() - begun)
    beyond = [whole - call for whole, call in zip(page[1:], bare[1:], strict=True)]
    return [
        name,
        *(f"{median(taken[1:]) * 1000:.0f}" for taken in (bare, page)),
        f"{median(beyond) * 1000:.0f}",
        f"{quantiles(beyond, n=20)[18] * 1000:.0f}",
        f"{len(body) / 1024:.1f}",
        f"{_compressed(body):.1f}",
    ]


def _through_a_grant(name: str, sandbox: Sandbox, own: Visitor, granted: Visitor, times: int) -> list[str]:
    """Measure alternately the owner's page, the colleague's, and the bare call that confirms a list."""
    taken: dict[str, list[float]] = {"own": [], "granted": [], "confirming": []}
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {sandbox.storage_tokens[PROJECT]['service']}"
        paths = [f"report-{number:04}-quarterly-figures.pdf" for number in range(100)]

        def confirm() -> requests.Response:
            address = f"{sandbox.management_url}{STORED}/object/sign/{BUCKET}"
            return session.post(address, json={"expiresIn": 60, "paths": paths}, timeout=20)

        page = PAGES[name].page
        asks: dict[str, Callable[[], requests.Response]] = {"own": partial(own.get, page), "granted": partial(granted.get, page)}
        if name == "objects":
            asks["confirming"] = confirm
        for _ in range(times + 1):
            for which, ask in asks.items():
                begun = time.monotonic()
                ask().raise_for_status()
                taken[which].append(time.monotonic() - begun)
    own_ms, granted_ms, confirming = (median(each[1:] or [0]) * 1000 for each in taken.values())
    return [
        name,
        *(f"{figure:.0f}" for figure in (own_ms, granted_ms, confirming)),
        f"{granted_ms - confirming - own_ms:.1f}",
    ]


def _rows(visitor: Visitor, pids: list[int], times: int, *, what: str) -> list[str]:
    query, target = LISTS[what]
    address = f"{visitor.address}/storage/{PROJECT}/{BUCKET}/{query}"
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    visitor.session.get(address, headers=headers, timeout=20)
    before = cost(pids)
    for _ in range(times):
        body = visitor.session.get(address, headers=headers, timeout=20).content
    spent = (cost(pids) - before).cpu
    rows = body.count(b'name="key"')
    return [what, f"{rows}", f"{spent / times * 1000:.1f}", f"{len(body) / 1024:.1f}", f"{_compressed(body):.1f}"]


def _first_byte(name: str, address: str, visitor: Visitor, times: int) -> list[str]:
    taken = []
    for _ in range(times + 1):
        begun = time.monotonic()
        with visitor.session.get(visitor.address + address, stream=True, timeout=30) as answer:
            answer.raise_for_status()
            taken.append(time.monotonic() - begun)
    return [name, f"{median(taken[1:]) * 1000:.0f}", f"{max(taken[1:]) * 1000:.0f}"]


def _compressed(body: bytes) -> float:
    return len(gzip.compress(body, 6)) / 1024
