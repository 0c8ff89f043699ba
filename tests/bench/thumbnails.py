"""How many thumbnails and pages of PDFs are made a second, how many come from the cache; the memory of the process that asks."""

import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO

from PIL import Image

from dashboard.viewer.pictures import Renderings
from dashboard.viewer.protocol import MOST_PAGES, PAGES_AT_ONCE, Task
from tests.bench.table import show

PHOTOS = 60
TIMES = 20
DOCUMENTS = 3


def run(*, rounds: int) -> None:
    photos = [_photo(number) for number in range(PHOTOS)]
    rows = [(number + 1, *_round(photos)) for number in range(rounds)]
    show(
        f"Thumbnails of {PHOTOS} photos of 4 megapixels",
        ["round", "made/s", "from the cache/s", "pages of PDFs/s", "MiB more memory"],
        rows,
    )


def _round(photos: list[bytes]) -> tuple[str, str, str, str]:
    thumbnails = Renderings()
    thumbnails.get("first", Task.PICTURE, partial(photos.__getitem__, 0))
    before = _memory()
    made = _rate([partial(thumbnails.get, number, Task.PICTURE, partial(photos.__getitem__, number)) for number in range(PHOTOS)])
    kept = _rate([partial(thumbnails.get, number, Task.PICTURE, bytes) for number in range(PHOTOS)] * TIMES)
    source = _document()
    calls = [
        partial(thumbnails.parts, ("pages", number, first), Task.PAGES, lambda: source, str(first))
        for number in range(DOCUMENTS)
        for first in range(0, MOST_PAGES, PAGES_AT_ONCE)
    ]
    pages = _rate(calls) * PAGES_AT_ONCE
    return f"{made:.0f}", f"{kept:.0f}", f"{pages:.0f}", f"{_memory() - before:.1f}"


def _document() -> bytes:
    """Twenty pages as a scanner makes them: dark lines on grainy paper, 150 dots an inch."""
    photo = Image.effect_noise((1240, 1754), 8).point(lambda grey: grey + 110).convert("RGB")
    for line in range(60, 1700, 36):
        photo.paste((40, 40, 40), (100, line, 1100 - line % 200, line + 14))
    out = BytesIO()
    photo.save(out, "PDF", save_all=True, append_images=[photo] * (MOST_PAGES - 1), quality=60)
    return out.getvalue()


def _photo(number: int) -> bytes:
    out = BytesIO()
    picture = Image.radial_gradient("L").resize((2400, 1700)).convert("RGB")
    picture.paste((number * 4, 80, 160), (100, 100, 900, 900))
    picture.save(out, "JPEG", quality=88)
    return out.getvalue()


def _rate(calls: Sequence[Callable[[], object]]) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda call: call(), calls))
    return len(calls) / (time.perf_counter() - started)


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
