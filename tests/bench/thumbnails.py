"""How many thumbnails a process makes a second, and how many it takes from its cache; the memory of the process that asks."""

import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO

from PIL import Image

from dashboard.viewer.pictures import Renderings
from dashboard.viewer.protocol import Task
from tests.bench.table import show

PHOTOS = 60
TIMES = 20


def run(*, rounds: int) -> None:
    photos = [_photo(number) for number in range(PHOTOS)]
    rows = [(number + 1, *_round(photos)) for number in range(rounds)]
    show(f"Thumbnails of {PHOTOS} photos of 4 megapixels", ["round", "made/s", "from the cache/s", "MiB more memory"], rows)


def _round(photos: list[bytes]) -> tuple[str, str, str]:
    thumbnails = Renderings()
    thumbnails.get("first", Task.PICTURE, partial(photos.__getitem__, 0))
    before = _memory()
    made = _rate([partial(thumbnails.get, number, Task.PICTURE, partial(photos.__getitem__, number)) for number in range(PHOTOS)])
    kept = _rate([partial(thumbnails.get, number, Task.PICTURE, bytes) for number in range(PHOTOS)] * TIMES)
    return f"{made:.0f}", f"{kept:.0f}", f"{_memory() - before:.1f}"


def _photo(number: int) -> bytes:
    out = BytesIO()
    picture = Image.radial_gradient("L").resize((2400, 1700)).convert("RGB")
    picture.paste((number * 4, 80, 160), (100, 100, 900, 900))
    picture.save(out, "JPEG", quality=88)
    return out.getvalue()


def _rate(calls: Sequence[Callable[[], bytes]]) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda call: call(), calls))
    return len(calls) / (time.perf_counter() - started)


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
