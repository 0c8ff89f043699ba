"""Clients that go away in the middle of an upload, against the real server: nothing truncated is ever kept."""

import random
import re
import socket
import struct
import time
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote, urlsplit

import pytest
import requests

from tests.launch.command import starting
from tests.launch.visitor import Visitor

SIZE = 3 * 1024 * 1024
CUTS = 50
OLD = b"the old object, as it was"


class Place:
    """A bucket without limits in the seeded sandbox, and a folder of its own for this test."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.address, page = next(self._open_buckets())
        self.csrf = unescape(re.findall(r'data-csrf="([^"]+)"', page)[0])

    def _open_buckets(self) -> Iterator[tuple[str, str]]:
        spaces = re.findall(r'href="(/storage/[a-z0-9-]+/)"', self.visitor.get("/storage/").text)
        for space in dict.fromkeys(spaces):
            for address in re.findall(rf'href="({space}[^~"?/]+/)"', self.visitor.get(space).text):
                page = self.visitor.get(unescape(address)).text
                if 'data-limit=""' in page and 'data-types=""' in page:
                    yield unescape(address), page

    def target(self, key: str, policy: str) -> str:
        return f"{self.address}~upload/?key={quote(key, safe='')}&policy={policy}"

    def store(self, key: str, body: bytes) -> None:
        headers = {"X-CSRFToken": self.csrf, "Content-Type": "text/plain"}
        answer = self.visitor.session.put(self.visitor.address + self.target(key, "replace"), body, headers=headers, timeout=20)
        assert answer.status_code == 200, answer.text

    def read(self, key: str) -> requests.Response:
        return self.visitor.get(f"{self.address}~download/?key={quote(key, safe='')}")

    def cut(self, key: str, policy: str, at: int, *, rudely: bool) -> None:
        """Announce SIZE bytes, send `at` of them, and leave: with a farewell or with a reset."""
        parts = urlsplit(self.visitor.address)
        cookies = "; ".join(f"{name}={value}" for name, value in self.visitor.session.cookies.items())
        head = (
            f"PUT {self.target(key, policy)} HTTP/1.1\r\nHost: {parts.netloc}\r\nCookie: {cookies}\r\n"
            f"X-CSRFToken: {self.csrf}\r\nContent-Type: application/octet-stream\r\nContent-Length: {SIZE}\r\n\r\n"
        )
        with socket.create_connection((str(parts.hostname), int(parts.port or 80)), timeout=10) as line:
            line.sendall(head.encode() + b"\xaa" * at)
            if rudely:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with starting(tmp_path_factory.mktemp("cut") / "data") as started, Visitor(started.address) as visitor:
        link = started.wait_until_ready().link
        assert link
        visitor.enter_by(link)
        yield Place(visitor)


def test_fifty_cut_uploads_leave_nothing_truncated_and_the_old_one_intact(place: Place) -> None:
    chance = random.Random(20261121)  # noqa: S311 - where an upload is cut is no secret
    keys = [f"cut/{number}.bin" for number in range(CUTS)]
    old, new = keys[::2], keys[1::2]
    for key in old:
        place.store(key, OLD)
    for key in keys:
        at = chance.choice([0, 1, SIZE - 1, chance.randrange(SIZE)])
        place.cut(key, "replace" if key in old else "new", at, rudely=chance.random() < 0.5)
    time.sleep(2)
    assert [place.read(key).content for key in old] == [OLD] * len(old)
    assert [place.read(key).status_code for key in new] == [404] * len(new)


def test_an_uncut_upload_passes_beside_them(place: Place) -> None:
    body = random.Random(1).randbytes(SIZE)  # noqa: S311 - any bytes
    place.store("whole.bin", body)
    assert place.read("whole.bin").content == body
