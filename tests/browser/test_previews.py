"""Looking at objects in a real browser: pictures, films, texts; and nothing that a stranger stored runs."""

import io
import re
import wave
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, STILL, accessible, hold, overtaken, pick, png, row, top, total
from tests.features.objects.hostile import CORPUS
from tests.plugins.exhaustive import Part, in_parts

SHARE = ".details__acts > .button--primary"


def sound() -> bytes:
    """A second of silence."""
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(16_000))
    return held.getvalue()


def opened(page: Page, bucket: str, key: str) -> None:
    page.goto(f"{bucket}?open={quote(key, safe='')}")
    expect(page.locator("[data-panel]")).to_have_attribute("data-panel", key)


def test_pictures_sounds_and_texts_are_shown_beside_the_list(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for key, content in {"dots.png": png(), "quiet.wav": sound(), "a.json": b'{"a":[1,2]}', "paper.pdf": b"%PDF-1.4"}.items():
        neighbour.put(bucket, key, content, content_type=guess_type(key)[0] or "")
    opened(page, bucket, "dots.png")
    page.wait_for_function("() => document.querySelector('.stage__image')?.naturalWidth === 2")
    accessible(page)
    opened(page, bucket, "quiet.wav")
    page.wait_for_function("() => Math.round(document.querySelector('audio')?.duration) === 1")
    page.locator("audio").evaluate("(sound) => { sound.muted = true; sound.currentTime = 0.6; return sound.play(); }")
    page.wait_for_function("() => document.querySelector('audio').currentTime > 0.6")
    opened(page, bucket, "a.json")
    expect(page.locator("#objects-preview .viewer__text")).to_contain_text('"a": [\n    1,')
    accessible(page)
    opened(page, bucket, "paper.pdf")
    expect(page.locator("#objects-preview")).to_contain_text("This PDF can't be shown")
    page.get_by_label("More for paper.pdf").click()
    link = page.get_by_role("link", name="Open PDF")
    expect(link).to_have_attribute("target", "_blank")
    answer = page.request.get(str(link.get_attribute("href")), max_redirects=0)
    assert answer.status == 302
    page.get_by_role("link", name="Test public access").click()
    verdict = "Private Without a token, the service refused this file. Copies in caches or downloaded before remain."
    expect(page.locator("dialog .public-access .alert")).to_have_text(verdict)


@pytest.mark.parametrize("options", [{"viewport": {"width": 1280, "height": 800}}, {"viewport": PHONE}], ids=["wide", "phone"])
def test_what_is_below_a_preview_stays_in_place_when_it_comes(
    open_page: NewPage, bucket: str, neighbour: Neighbour, options: Any
) -> None:
    """Also one that fails. A press that begins on a button would end beside it."""
    page = open_page(**options)
    neighbour.fill(bucket, "gone", ["a.pdf"], size=10)
    contents = {"dots.png": png(), "a.csv": b"a,b\n1,2\n", "long.txt": b"more\n" * 99, "b.pdf": b"%PDF-1.4"}
    for key, content in contents.items():
        neighbour.put(bucket, key, content, content_type=guess_type(key)[0] or "")
    preview = re.compile("/~preview/(?!thumbnail/)")
    for key in (*contents, "gone/a.pdf"):
        with hold(page, preview) as held:
            page.goto(f"{bucket}?open={quote(key, safe='')}", wait_until="domcontentloaded")
            expect(page.locator(SHARE)).to_be_visible()
            asked = held.next()
            page.evaluate(STILL)
            before = top(page, SHARE) - top(page, "[data-panel]")
            asked.continue_()
        page.wait_for_function(
            "() => document.readyState === 'complete' && !document.querySelector('#objects-preview > a')"
            " && [...document.querySelectorAll('.stage__image')].every((image) => image.complete)"
        )
        page.evaluate(STILL)
        assert top(page, SHARE) - top(page, "[data-panel]") == before, key


@pytest.fixture
def page(open_page: NewPage) -> Page:
    """A frame that may run no script says so of the one that makes clicks wait."""
    return open_page(viewport={"width": 1280, "height": 800}, input_waits=False)


@in_parts
def test_nothing_that_a_stranger_stored_runs(page: Page, bucket: str, console: Console, tmp_path: Path, part: Part) -> None:
    # A picture opened in its own tab gets a frame with styles from the browser, which the policy blocks, too.
    for blocked in ("Applying inline style", "Loading media from"):
        console.allow(rf"error: {blocked} .*\bdefault-src 'none'.*/~preview/bytes/\?key=[^)]*\)$")
    names = part.of(CORPUS)
    for name in names:
        (tmp_path / name).write_bytes(CORPUS[name][0])
    page.goto(bucket)
    pick(page, *(tmp_path / name for name in names))
    total(page, f"{len(names)} of {len(names)} stored")
    left: list[str] = []
    host = re.sub(r"(https?://[^/]+).*", r"\1", page.url)
    page.on(
        "request",
        lambda request: left.append(request.url) if "owned" in request.url or not request.url.startswith(host) else None,
    )
    for name in names:
        key = quote(name, safe="")
        opened(page, bucket, name)
        expect(page.locator("#objects-preview[hx-get]")).to_have_count(0)
        assert page.evaluate("() => window.owned") is None, name
        for verb in ("~preview/", "~preview/bytes/", "~details/"):
            answer = page.goto(f"{bucket}{verb}?key={key}")
            if answer and answer.status == 404:
                console.expect(404, "/~preview/bytes/")
            assert page.evaluate("() => window.owned") is None, f"{verb} {name}"
    assert not [address for address in left if "owned" in address or not address.startswith(host)]
    assert not [line for line in console.said if "owned" in line]


def test_a_folder_is_downloaded_after_its_size_was_said(page: Page, bucket: str, neighbour: Neighbour) -> None:
    for name in ("one.txt", "two.txt"):
        neighbour.put(bucket, f"trip/{name}", name.encode())
    page.goto(f"{bucket}~download/archive/?folder=trip%2F")
    expect(page.get_by_role("heading", level=1)).to_have_text("Download the folder trip")
    expect(page.get_by_role("main")).to_contain_text("2 objects, 14 bytes")
    accessible(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download ZIP").click()
    assert download.value.suggested_filename == "trip.zip"
    assert sorted(ZipFile(download.value.path()).namelist()) == ["trip/one.txt", "trip/two.txt"]
    page.get_by_role("link", name="List of links").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("List of links")
    accessible(page)
    with page.expect_download() as script:
        page.get_by_role("button", name="Download list").click()
    assert script.value.suggested_filename == "trip-links.sh"


def test_what_a_list_does_not_hold_the_panel_asks_for(page: Page, bucket: str, neighbour: Neighbour) -> None:
    neighbour.put(bucket, "a.txt", b"words")
    with hold(page, "**/*open=a.txt", only=lambda request: "hx-request" in request.headers) as held:
        page.goto(f"{bucket}?path=elsewhere%2F&open=a.txt")
        asked = held.next()
        page.get_by_text("Technical").click()
        # What is opened stays open when the answer comes.
        with overtaken(page, "open=a.txt"):
            asked.continue_()
    expect(page.get_by_role("heading", name="More from the service")).to_be_visible()
    page.goto(bucket)
    row(page, "a.txt")
