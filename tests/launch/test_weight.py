"""What a browser that knows nothing loads for each page, from the real web server with its collected files."""

import gzip
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.features.test_calls import PAGES, REF
from tests.launch.command import starting
from tests.launch.visitor import Visitor

GZIP = b"\x1f\x8b"
FILE_NAME = 8
MOST_PADDING = 101
MOST_BYTES, MOST_REQUESTS = 50 * 1024, 6
LOADED = re.compile(r'(?:<script src|data-script)="([^"]+)"|<link rel="(?:stylesheet|icon)" href="([^"]+)"')
VIEWER = f"/storage/{REF}/handbook/~preview/?key=procedures/damaged-parcels.md"
OTHERS = ["/team/new/", "/account/sessions/", "/journal/?outcome=done", "/sandbox/", "/sandbox/switches/", VIEWER]


class Browser:
    """An empty cache and a signed-in owner; it accepts what browsers accept from an address that they trust."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.weigh = cache(lambda address: len(self.wire(address)))

    def load(self, address: str) -> list[int]:
        """The bytes of each request: the page with as much random padding as it can get, its sheet, its scripts, its icon."""
        whole = self.wire(address)
        text = (gzip.decompress(whole) if whole.startswith(GZIP) else whole).decode()
        return [
            len(whole) - padding(whole) + MOST_PADDING,
            *(self.weigh(one or other) for one, other in set(LOADED.findall(text))),
        ]

    def wire(self, address: str) -> bytes:
        headers = {"Accept-Encoding": "gzip, br"}
        answer = self.visitor.session.get(self.visitor.address + address, headers=headers, stream=True, timeout=60)
        assert answer.status_code == 200, address
        answer.raw.decode_content = False
        return bytes(answer.raw.read())


def padding(page: bytes) -> int:
    """How many random bytes stand before the text: a file name after the 10 bytes of the head (RFC 1952)."""
    return page.index(b"\0", 10) + 1 - 10 if page.startswith(GZIP) and page[3] & FILE_NAME else 0


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with starting(tmp_path_factory.mktemp("weight") / "data") as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        yield owner


def addresses() -> list[str]:
    return [address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/") for address in PAGES] + OTHERS


def test_the_first_load_of_every_page_is_light(visitor: Visitor) -> None:
    browser = Browser(visitor)
    loads = {address: browser.load(address) for address in addresses()}
    assert {address: sizes for address, sizes in loads.items() if sum(sizes) > MOST_BYTES or len(sizes) > MOST_REQUESTS} == {}
    assert len(loads) > 60
