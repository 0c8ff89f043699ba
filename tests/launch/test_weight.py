"""What a browser that knows nothing loads for each page, from the real web server with its collected files.

The pages are those of the table of calls, one of each kind that they lead to, those behind forms, and those of people without
an account.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from urllib.parse import urlsplit

import brotli  # type: ignore[import-untyped] # it has no types
import pytest
from django.urls import Resolver404, resolve

from tests.browser.neighbour import Neighbour
from tests.features.test_calls import PAGES, REF
from tests.features.test_typed_secrets import LIMITS, ORGANIZATION
from tests.launch.command import starting
from tests.launch.visitor import PASSWORD, Visitor
from tests.plugins.exhaustive import Part, in_parts

MOST_PADDING = 100
MOST_BYTES, MOST_REQUESTS = 50 * 1024, 6
# Of a page with a hundred files, a third of them pictures: a tenth of it is what tells one file from another.
MOST_FULL = 52 * 1024
# Of a page that shows a secret, and so is not compressed.
MOST_REVEALING = 60 * 1024
LINK = re.compile(r'<a [^>]*href="(/[^"#]*)"')
LOADED = re.compile(r'<(?:script src|link rel="(?:stylesheet|icon)" href)="([^"]+)"')
ON_DEMAND = re.compile(r'<([a-z]+-[a-z]+)\s[^>]*data-script="([^"]+)"')
VIEWER = f"/storage/{REF}/handbook/~preview/?key=procedures/damaged-parcels.md"
STORAGE, PROJECT, DAYS = f"/storage/{REF}/", f"/projects/{REF}/", "604800"
SHARED = re.compile(r"http://[^\s\"<]+(/[lr]/[\w-]+)")
FILES = (
    *("public-assets/~share/?key=banner.png", "labels/~share/?key=2026/10/returns %26 claims (week 43).pdf"),
    *("handbook/~share/?key=procedures/shift-plan-week-48.csv", "handbook/~share/?key=procedures/damaged-parcels.md"),
    *("handbook/~share/?key=drivers/route-14.json", "handbook/~share/?path=&folder=procedures/"),
)
JOB = re.compile(r"/jobs/\d+/")
# Pages over all projects, and what is on each how often, at least.
OF_ALL_PROJECTS = {
    "/": ("cell--known", 90),
    "/?view=storage": ("overview__row", 20),
    "/?view=network": ("overview__row", 20),
    "/?view=network&address=203.0.113.7": ("overview__row", 20),
    "/hostnames/": ("overview__row", 20),
    "/account/": ("/replacement/", 100),
    "/access/new/": ("find__hit", 200),
    f"{PROJECT}switch/?section=secrets": ("find__hit", 200),
}
PROJECTS, SEEDED = 200, 9
ROW = re.compile(r'hx-get="((?:/overview|/hostnames)/[a-z]{20}/[^"]*)"')
OTHERS = ["/team/new/", "/account/sessions/", "/journal/?outcome=done", "/sandbox/", "/sandbox/switches/", VIEWER]


class Browser:
    """An empty cache; it accepts what browsers accept from an address that they trust. Pages may have any of these codes."""

    def __init__(self, visitor: Visitor, *codes: int) -> None:
        self.visitor, self.codes = visitor, codes or (200,)
        self.weigh = cache(lambda address: len(self.wire(address)[0]))
        self.defines = cache(lambda address, name: f'customElements.define("{name}"' in visitor.get(address).text)
        self.links: dict[str, str] = {}

    def load(self, address: str) -> list[int]:
        """The bytes of each body: the page with as much random padding as it can get, its sheet, its scripts, its icon."""
        whole, coding = self.wire(address)
        text = (brotli.decompress(whole) if coding else whole).decode()
        for link in map(unescape, LINK.findall(text)):
            self.links.setdefault(view_of(link), link)
        return [
            len(whole) + (MOST_PADDING - padding(whole) if coding else 0),
            *(self.weigh(file) for file in self.files(text)),
        ]

    def files(self, text: str) -> set[str]:
        """What the page links, and the script of an element that none of these defines."""
        linked = set(LOADED.findall(text))
        return linked | {file for name, file in ON_DEMAND.findall(text) if not any(self.defines(one, name) for one in linked)}

    def has(self, address: str) -> bool:
        """Whether this is a whole page, and not a part, a file or the way to another page."""
        answer = self.visitor.session.get(self.visitor.address + address, allow_redirects=False, timeout=60)
        return answer.status_code == 200 and "<main" in answer.text

    def wire(self, address: str) -> tuple[bytes, str]:
        """What is sent for the address, and how it is coded."""
        headers = {"Accept-Encoding": "gzip, br"}
        answer = self.visitor.session.get(self.visitor.address + address, headers=headers, stream=True, timeout=60)
        assert answer.status_code in self.codes, address
        answer.raw.decode_content = False
        return bytes(answer.raw.read()), answer.headers.get("Content-Encoding", "")


def view_of(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return ""


def padding(page: bytes) -> int:
    """How many random bytes the block of metadata before the last byte has (RFC 7932, 9.2)."""
    return next(
        number
        for number in range(MOST_PADDING, 0, -1)
        if page[-number - 3 : -number - 1] == (0b010110 | (number - 1) << 6).to_bytes(2, "little")
    )


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with starting(tmp_path_factory.mktemp("weight") / "data") as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        fill(Neighbour(started))
        yield owner


def fill(neighbour: Neighbour) -> None:
    """A folder with as many files as a page shows, called like those of cameras and of people."""
    rest = (
        "Invoice {} Nordhafen Logistics.xlsx",
        "route plan week {}.csv",
        "minutes of the meeting {}.md",
        "contract {} signed.docx",
    )
    for number in range(100):
        is_photo = number % 3 == 0
        name = f"IMG_2026{number % 12 + 1:02}{number % 28 + 1:02}_{number * 7919 % 240000:06}.jpg"
        body = bytes(number * number * 37 % 9973 + 1)
        kind = "image/jpeg" if is_photo else "application/octet-stream"
        key = f"full/{name if is_photo else rest[number % 4].format(2000 + number * 31 % 997)}"
        neighbour.put(f"/storage/{REF}/handbook/", key, body, content_type=kind)


@pytest.fixture(scope="module")
def owner_of_many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Somebody with 200 projects, a token for the storage of each, and the facts of those that Home shows first."""
    data = tmp_path_factory.mktemp("many") / "data"
    with starting(data) as started:
        neighbour = Neighbour(started.wait_until_ready())
        for number in range(PROJECTS - SEEDED):
            neighbour.project(f"many-{number:03}")
    # A start stores the tokens of the sandbox.
    with starting(data) as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        owner.submit(owner.get("/access/new/"), password=PASSWORD)
        for address in ("/", "/hostnames/"):
            for row in ROW.findall(part_of(owner, address, "home-waiting")):
                part_of(owner, row)
        yield owner


def part_of(owner: Visitor, address: str, target: str = "") -> str:
    headers = {"HX-Request": "true", "HX-Target": target}
    answer = owner.session.get(owner.address + address, headers=headers, timeout=60)
    answer.raise_for_status()
    return answer.text


def addresses() -> list[str]:
    return [address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/") for address in PAGES] + OTHERS


@in_parts
def test_the_first_load_of_every_page_is_light(visitor: Visitor, part: Part) -> None:
    browser = Browser(visitor)
    loads = {address: browser.load(address) for address in part.of(addresses())}
    seen = {"", *map(view_of, addresses())}
    while beyond := [address for view, address in browser.links.items() if view not in seen]:
        seen.update(map(view_of, beyond))
        loads |= {address: browser.load(address) for address in beyond if browser.has(address)}
    assert heavy(loads) == {}
    assert len(loads) >= 4


def test_the_first_load_of_a_full_folder_is_light(visitor: Visitor) -> None:
    address = f"{STORAGE}handbook/?path=full/"
    text = visitor.get(address).text
    assert (text.count("data-bytes"), text.count("objects__picture")) == (100, 34)
    assert heavy({address: Browser(visitor).load(address)}, MOST_FULL) == {}


def test_a_static_file_is_kept_for_good_and_taken_for_nothing_else(visitor: Visitor) -> None:
    found = set(LOADED.findall(visitor.get("/").text))
    assert len(found) >= 4
    for address in found:
        headers = visitor.get(address).headers
        assert headers["X-Content-Type-Options"] == "nosniff", address
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin", address
        assert "immutable" in headers["Cache-Control"], address
        assert "Access-Control-Allow-Origin" not in headers, address


@pytest.mark.exhaustive
def test_the_first_load_is_light_with_two_hundred_projects(owner_of_many: Visitor) -> None:
    for address, (sign, count) in OF_ALL_PROJECTS.items():
        assert owner_of_many.get(address).text.count(sign) >= count, address
    browser = Browser(owner_of_many)
    assert heavy({address: browser.load(address) for address in OF_ALL_PROJECTS}) == {}


def heavy(loads: dict[str, list[int]], most: int = MOST_BYTES) -> dict[str, list[int]]:
    return {address: sizes for address, sizes in loads.items() if sum(sizes) > most or len(sizes) > MOST_REQUESTS}


@pytest.mark.exhaustive
def test_the_first_load_of_reviews_and_jobs_is_light(visitor: Visitor) -> None:
    forms = {
        f"{PROJECT}secrets/draft/": {"act": "review", "text": "\n".join(f"NAME_{number}={number}" for number in range(60))},
        f"{PROJECT}network/restrictions/": {"text": "\n".join(f"203.0.113.{number}" for number in range(60))},
        f"{PROJECT}functions/~new/": {"slug": "greet", "name": "", "text": "Deno.serve(() => new Response('hello'))\n"},
        "/projects/new/": {"name": "harbour", "organization": ORGANIZATION, "region": "eu-central-1", "plan": "free"},
    }
    reviews = [urlsplit(visitor.submit(visitor.get(address), **typed).url).path for address, typed in forms.items()]
    assert not set(reviews) & set(forms), "each form leads to its review"
    visitor.post(f"{STORAGE}labels/~search/crawl/")
    jobs = JOB.findall(visitor.get("/jobs/").text)
    assert jobs
    browser = Browser(visitor)
    *compressed, project = reviews
    assert heavy({address: browser.load(address) for address in [*compressed, jobs[0]]}) == {}
    assert heavy({project: browser.load(project)}, MOST_REVEALING) == {}


@pytest.mark.exhaustive
def test_the_first_load_of_pages_without_an_account_is_light(visitor: Visitor) -> None:
    visitor.submit(visitor.get("/account/name/"), name="Olga")
    terms = {"life": DAYS, "landing": "page"}
    request, password = {"title": "Photos", "life": DAYS, **LIMITS}, {"password": "a kind otter rows"}
    typed = [
        *((f"{STORAGE}{file}", terms) for file in FILES),
        (f"{STORAGE}{FILES[0]}", {**terms, **password, "protected": "yes"}),
        (f"{STORAGE}handbook/~request/?path=fair/", request),
        (f"{STORAGE}handbook/~request/?path=fair/", request | password),
    ]
    links = [SHARED.search(visitor.submit(visitor.get(address), **fields).text) for address, fields in typed]
    with Visitor(visitor.address) as stranger:
        browser = Browser(stranger, 200, 404)
        signed_out = ["/account/login/", "/account/password/reset/", "/account/password/reset/done/", "/account/inactive/", "/"]
        shared = [link[1] for link in links if link]
        assert len(shared) == len(typed)
        gone = ["/l/no-such-link", "/r/no-such-link", "/account/password/reset/key/1-a/"]
        assert heavy({address: browser.load(address) for address in [*signed_out, *shared, *gone]}) == {}
