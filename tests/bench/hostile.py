"""Members' pages while one address attacks public addresses with 64 connections, compared with a quiet server."""

import multiprocessing
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, urlsplit

import requests

from tests.bench.rig import ask_for_files, make_links, store_tokens
from tests.bench.table import say, show
from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor, invited
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox

BUCKET, LARGE, SMALL, FOLDER = "bench", "large.bin", "folder/small.txt", "folder/"
CONNECTIONS = 64
# A member comes from another address of the loopback.
ATTACKER = "127.0.0.2"
SECONDS = 20.0
PAUSE_SECONDS = 0.02
WORDS = quote(" ".join(f"word{number}" for number in range(20)))


@dataclass(frozen=True, slots=True)
class Attack:
    """A request that each connection repeats. `drips`: it reads one block of the answer per second."""

    name: str
    request: bytes
    drips: bool = False


def run(*, rounds: int) -> None:
    rows = []
    with _running() as (started, member, attacks):
        for attack in attacks * rounds:
            quiet, _ = _visit(started, member)
            with _attacked(started, attack):
                beside, refused = _visit(started, member)
            rows.append(
                [
                    attack.name,
                    f"{_p99(quiet):.0f}",
                    f"{_p99(beside):.0f}",
                    f"{_p99(beside) / _p99(quiet):.1f}",
                    f"{len(beside)}",
                    f"{refused}",
                ]
            )
    show(
        f"A member's pages beside {CONNECTIONS} connections of one address, {SECONDS:.0f} s each",
        ["attacked", "p99 quiet, ms", "p99 attacked, ms", "ratio", "pages", "refused"],
        rows,
    )
    say(f"attackers, the sandbox and Pilothouse shared this machine's processors, {datetime.now(UTC):%Y-%m-%d}")


@contextmanager
def _running() -> Iterator[tuple[Started, Visitor, list[Attack]]]:
    with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        sandbox = start_sandbox(Path(folder) / "sandbox")
        try:
            space, tokens = next(iter(sandbox.storage_tokens.items()))
            _fill(sandbox, space, tokens["service"])
            settings = {"STORAGE_URL": sandbox.storage(space), "STORAGE_PUBLIC_URL": "none"}
            with starting(Path(folder) / "data", **settings) as started, Visitor(started.wait_until_ready().address) as member:
                store_tokens(started, [("storage", "shared", tokens["service"])], settings)
                assert started.link
                member.enter_by(started.link)
                with invited(member, "viewer@example.com") as viewer:
                    yield started, member, _attacks(started, settings, viewer)
        finally:
            stop_sandbox(sandbox)


def _fill(sandbox: Sandbox, space: str, key: str) -> None:
    storage, headers = sandbox.storage(space), {"Authorization": f"Bearer {key}"}
    requests.post(f"{storage}/bucket", json={"name": BUCKET}, headers=headers, timeout=60).raise_for_status()
    for name, content in ((LARGE, bytes(64 << 20)), (SMALL, b"text"), (f"{FOLDER}{LARGE}", bytes(16 << 20))):
        requests.post(f"{storage}/object/{BUCKET}/{name}", data=content, headers=headers, timeout=60).raise_for_status()


def _attacks(started: Started, settings: dict[str, str], viewer: Visitor) -> list[Attack]:
    [page] = make_links(started, settings, place=("shared", BUCKET, SMALL), landing=[True])
    [folder] = make_links(started, settings, place=("shared", BUCKET, FOLDER), landing=[True])
    asked = ask_for_files(started, settings, place=("shared", BUCKET, FOLDER))
    host = urlsplit(started.address).netloc
    cookies = "; ".join(f"{name}={value}" for name, value in viewer.session.cookies.get_dict().items())
    wrong = b"login=owner%40localhost&password=wrong"

    def get(path: str, *headers: str) -> bytes:
        return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", "User-Agent: Mozilla/5.0", *headers, "", ""]).encode()

    form = [f"Content-Length: {len(wrong)}", "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin"]
    sign_in = get("/account/login/", *form).replace(b"GET", b"POST", 1) + wrong
    return [
        Attack("share page", get(f"/l/{page}")),
        Attack("file request", get(f"/r/{asked}")),
        Attack("ZIP, read slowly", get(f"/l/{folder}/all"), drips=True),
        Attack("palette", get(f"/search/?q={WORDS}", f"Cookie: {cookies}")),
        Attack("sign-in", sign_in),
    ]


def _visit(started: Started, member: Visitor) -> tuple[list[float], int]:
    """Open pages one after the other; return their milliseconds, and how many were refused."""
    pages = [f"/storage/shared/{BUCKET}/", f"/storage/shared/{BUCKET}/~preview/?key={quote(SMALL)}", "/links/", "/"]
    until, taken, refused, number = time.monotonic() + SECONDS, list[float](), 0, 0
    while time.monotonic() < until:
        began = time.perf_counter()
        answer = member.session.get(started.address + pages[number % len(pages)], timeout=120)
        taken.append((time.perf_counter() - began) * 1000)
        refused += answer.status_code != requests.codes.ok
        number += 1
        time.sleep(PAUSE_SECONDS)
    return taken, refused


@contextmanager
def _attacked(started: Started, attack: Attack) -> Iterator[None]:
    """Let another process attack while the block runs."""
    there = urlsplit(started.address)
    process = multiprocessing.get_context("spawn").Process(target=_attack, args=(there.hostname, there.port, attack), daemon=True)
    process.start()
    try:
        time.sleep(2)
        yield
    finally:
        process.terminate()
        process.join()


def _attack(host: str, port: int, attack: Attack) -> None:
    address = "127.0.0.1" if host == "localhost" else host
    for _ in range(CONNECTIONS - 1):
        threading.Thread(target=_send_again_and_again, args=(address, port, attack), daemon=True).start()
    _send_again_and_again(address, port, attack)


def _send_again_and_again(address: str, port: int, attack: Attack) -> None:
    while True:
        with suppress(OSError), socket.create_connection((address, port), timeout=60, source_address=(ATTACKER, 0)) as connection:
            connection.sendall(attack.request)
            while block := connection.recv(1 << 14):
                if attack.drips:
                    time.sleep(1)
                elif len(block) < 1 << 14:
                    break


def _p99(taken: list[float]) -> float:
    return sorted(taken)[ceil(len(taken) * 0.99) - 1]
