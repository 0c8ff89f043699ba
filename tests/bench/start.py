"""Seconds from the command to the first page: in an empty folder, and in one that was used before."""

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.table import show
from tests.launch.command import starting
from tests.launch.visitor import Visitor


def run(*, rounds: int) -> None:
    first, later = [], []
    for _ in range(rounds):
        with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
            first.append(_once(Path(folder) / "data"))
            later.append(_once(Path(folder) / "data"))
    rows = [
        [name, f"{median(taken):.1f}", f"{max(taken):.1f}"] for name, taken in (("empty folder", first), ("used folder", later))
    ]
    show(f"From the command to the first page, {rounds} rounds", ["start in", "median s", "longest s"], rows)


def _once(data: Path) -> float:
    begun = time.monotonic()
    with starting(data, STATIC_ROOT="") as started:
        started.wait_until_ready()
        with Visitor(started.address) as visitor:
            visitor.get("/account/login/").raise_for_status()
        return time.monotonic() - begun
