"""The viewer in a real browser: from file to file by keys, swipes and links, and back to the row."""

import re
import wave
from io import BytesIO
from mimetypes import guess_type

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.neighbour import Neighbour
from tests.browser.steps import PHONE, accessible
from tests.viewer.test_pictures import HOSTILE, pdf

LOADED = "() => [...document.querySelectorAll('.viewer img')].every((one) => one.complete && one.naturalWidth > 0)"
SWIPE = """([from, to]) => {
  const viewer = document.querySelector("file-viewer");
  const touch = (x) => new Touch({ identifier: 1, target: viewer, clientX: x, clientY: 300 });
  viewer.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(from)], changedTouches: [touch(from)], bubbles: true }));
  viewer.dispatchEvent(new TouchEvent("touchend", { touches: [], changedTouches: [touch(to)], bubbles: true }));
}"""


@pytest.fixture
def bucket(bucket: str, neighbour: Neighbour) -> str:
    """One with a file of each kind."""
    pictures = {name: BytesIO() for name in ("a.png", "b.png", "c.png")}
    for number, held in enumerate(pictures.values()):
        Image.new("RGB", (400, 300), (90 * number, 80, 120)).save(held, "PNG")
    recording = BytesIO()
    with wave.open(recording, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(44_100)
        # More than one range of 4 MiB.
        sound.writeframes(bytes(44_100 * 2 * 60))
    files = {name: held.getvalue() for name, held in pictures.items()}
    files |= {"d.pdf": pdf(pages=5), "e.md": HOSTILE.encode(), "f.wav": recording.getvalue(), "g.csv": b"a;b\n1;2\n"}
    for name, content in files.items():
        neighbour.put(bucket, name, content, content_type=guess_type(name)[0] or "")
    return bucket


def title(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_the_viewer_opens_from_a_thumbnail_goes_on_by_keys_in_the_order_of_the_list_and_returns_to_the_row(
    page: Page, bucket: str
) -> None:
    page.goto(f"{bucket}?view=grid&sort=-name")
    page.locator(".objects__picture").last.click()
    title(page, "a.png")
    expect(page.locator(".head__lead")).to_have_text("7 of 7")
    expect(page.get_by_role("link", name="Next file")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    title(page, "b.png")
    expect(page).to_have_title(re.compile(r"^b\.png"))
    page.wait_for_function(LOADED)
    page.get_by_role("link", name="Next file").press("Enter")
    title(page, "a.png")
    page.keyboard.press("ArrowLeft")
    title(page, "b.png")
    page.evaluate(SWIPE, [100, 300])
    title(page, "c.png")
    page.evaluate(SWIPE, [300, 100])
    title(page, "b.png")
    page.evaluate(SWIPE, [300, 270])
    title(page, "b.png")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="b.png", exact=True)).to_be_focused()
    assert "sort=-name" in page.url
    assert "view=grid" in page.url
    page.keyboard.press("v")
    title(page, "b.png")
    page.get_by_role("link", name="Back to the list").click()
    expect(page.get_by_role("link", name="b.png", exact=True)).to_be_focused()


def test_sound_is_sought_by_ranges(page: Page, bucket: str) -> None:
    ranges: list[str | None] = []
    page.on("response", lambda answer: ranges.append(answer.headers.get("content-range")) if "bytes/" in answer.url else None)
    page.goto(f"{bucket}~preview/?key=f.wav")
    page.wait_for_function("() => Math.round(document.querySelector('audio')?.duration) === 60")
    page.locator("audio").evaluate("(sound) => { sound.muted = true; sound.currentTime = 55; return sound.play(); }")
    page.wait_for_function("() => document.querySelector('audio').currentTime > 55")
    assert all(ranges)
    assert any(not str(found).startswith("bytes 0-") for found in ranges)
    page.locator("audio").focus()
    page.keyboard.press("ArrowLeft")
    title(page, "f.wav")


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", "viewport": PHONE}], ids=["desk", "phone"])
def test_every_kind_of_file_is_shown_in_every_look_and_nothing_is_fetched_from_elsewhere(
    open_page: NewPage, bucket: str, options: dict[str, object]
) -> None:
    page = open_page(**options)
    page.goto(bucket)
    host = re.sub(r"(https?://[^/]+).*", r"\1", page.url)
    left: list[str] = []
    page.on("request", lambda request: left.append(request.url) if not request.url.startswith(host) else None)
    for name, mark in (
        ("a.png", ".viewer__image"),
        ("d.pdf", ".viewer__page >> nth=4"),
        ("e.md", ".viewer__prose h2"),
        ("f.wav", ".viewer__sound"),
        ("g.csv", ".viewer__rows td"),
    ):
        page.goto(f"{bucket}~preview/?key={name}")
        page.locator(mark).first.scroll_into_view_if_needed()
        page.wait_for_function(LOADED)
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") == page.evaluate("innerWidth")
    assert left == []
