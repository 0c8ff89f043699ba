"""A film is played and sought, in the viewer and by a recipient."""

import pytest
from playwright.sync_api import Page

from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, shared
from tests.browser.test_recipients import outside
from tests.viewer.films import webm

__all__ = ["outside"]

SECONDS = 24
RANGE = 4 << 20
PLAY = "async (film, at) => { film.muted = true; film.currentTime = at; await film.play(); }"
# A frame is drawn, not only announced: noise is of many colours.
COLOURS = """(film) => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 30 });
  const context = canvas.getContext("2d");
  context.drawImage(film, 0, 0, 40, 30);
  return new Set(context.getImageData(0, 0, 40, 30).data).size;
}"""


@pytest.fixture
def film() -> bytes:
    """Longer than one range."""
    found = webm(SECONDS)
    assert len(found) > RANGE
    return found


def watch(page: Page, address: str) -> None:
    """Open, play near the end, then near the beginning."""
    ranges: list[str | None] = []
    page.on("response", lambda answer: ranges.append(answer.headers.get("content-range")) if answer.status == 206 else None)
    page.goto(address)
    page.wait_for_function(f"() => Math.round(document.querySelector('video')?.duration) === {SECONDS}")
    accessible(page)
    for second in (SECONDS - 4, 2):
        page.locator("video").evaluate(PLAY, second)
        page.wait_for_function(f"() => document.querySelector('video').currentTime > {second + 0.5}")
        assert page.locator("video").evaluate(COLOURS) > 16
    page.locator("video").evaluate("(film) => film.pause()")
    assert any(found and not found.startswith("bytes 0-") for found in ranges)
    assert page.locator("video").evaluate("(film) => film.error") is None


def test_a_film_is_played_and_sought_in_the_viewer(page: Page, bucket: str, film: bytes, neighbour: Neighbour) -> None:
    neighbour.put(bucket, "film.webm", film, content_type="video/webm")
    watch(page, f"{bucket}~preview/?key=film.webm")


@pytest.mark.exhaustive
def test_a_film_is_played_and_sought_by_a_recipient_on_a_phone(
    page: Page, outside: Page, bucket: str, film: bytes, neighbour: Neighbour
) -> None:
    neighbour.put(bucket, "film.webm", film, content_type="video/webm")
    watch(outside, shared(page, bucket, "key=film.webm"))
