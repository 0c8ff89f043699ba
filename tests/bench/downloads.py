"""Downloads of 1 GiB by the three ways in alternating rounds: straight, through nginx, streamed through Pilothouse."""

from collections.abc import Callable
from statistics import median

from tests.bench.processes import MEBIBYTE, cost, forget_peaks, peak_mebibytes
from tests.bench.rig import GIBIBYTE, Rig, curl, rig
from tests.bench.table import say, show

SIZES = (100 * MEBIBYTE, GIBIBYTE, 4 * GIBIBYTE)


def run(*, rounds: int) -> None:
    with rig() as here:
        _speed(here, rounds)
        _memory(here)


def _speed(here: Rig, rounds: int) -> None:
    path = f"/object/authenticated/bench/zeros-{GIBIBYTE}"
    ways: dict[str, Callable[[], float]] = {"curl from the sink": lambda: curl(here.sink.address + path)}
    if here.nginx:
        ways["nginx, unbuffered"] = lambda: curl(f"{here.nginx}{path}")
    ways["Pilothouse"] = lambda: _through(here, GIBIBYTE)
    ways["Pilothouse"]()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    cpu: list[float] = []
    for _ in range(rounds):
        for name, way in ways.items():
            before = cost(here.web())
            seconds[name].append(way())
            if name == "Pilothouse":
                cpu.append((cost(here.web()) - before).cpu)
    rows = []
    for name, taken in seconds.items():
        row = [name, f"{1024 / median(taken):.0f}"]
        for other in ("curl from the sink", "nginx, unbuffered"):
            pairs = zip(taken, seconds.get(other, []), strict=False)
            row.append(f"{median([b / a for a, b in pairs] or [0.0]):.2f}")
        rows.append([*row, f"{median(cpu):.2f}" if name == "Pilothouse" else ""])
    show(
        f"Download of 1 GiB, medians of {rounds} alternating rounds", ["way", "MiB/s", "of direct", "of nginx", "CPU s/GiB"], rows
    )


def _memory(here: Rig) -> None:
    rows = []
    for size in SIZES:
        forget_peaks(here.web())
        _through(here, size)
        rows.append([f"{size // MEBIBYTE} MiB", f"{peak_mebibytes(here.web()):.1f}"])
    show("Peak memory of the largest web process", ["download", "peak MiB"], rows)
    say(f"growth from 100 MiB to 4 GiB: {float(rows[-1][1]) - float(rows[0][1]):.1f} MiB")


def _through(here: Rig, size: int) -> float:
    return curl("-H", f"Cookie: {here.cookie}", f"{here.page()}~download/?key=zeros-{size}")
