"""Uploads of 1 GiB by the three ways in alternating rounds, then memory at 100 MiB, 1 GiB and 4 GiB."""

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
    file = str(here.file(GIBIBYTE))
    ways: dict[str, Callable[[], float]] = {
        "curl to the sink": lambda: curl("-X", "POST", "-T", file, f"{here.sink.address}/object/bench/x")
    }
    if here.nginx:
        ways["nginx, unbuffered"] = lambda: curl("-X", "POST", "-T", file, f"{here.nginx}/object/bench/x")
    ways["Pilothouse"] = lambda: here.put(here.file(GIBIBYTE), "one.bin")
    ways["Pilothouse"]()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    cpu: list[float] = []
    for _ in range(rounds):
        for name, way in ways.items():
            bytes_before, before = here.sink.received()[0], cost(here.web())
            seconds[name].append(way())
            arrived = here.sink.received()[0] - bytes_before
            if arrived != GIBIBYTE:
                raise RuntimeError(f"{name}: {arrived} bytes arrived")
            if name == "Pilothouse":
                cpu.append((cost(here.web()) - before).cpu)
    rows = [[name, f"{1024 / median(taken):.0f}", *_ratios(seconds, name)] for name, taken in seconds.items()]
    rows[-1].append(f"{median(cpu):.2f}")
    show(
        f"Upload of 1 GiB, medians of {rounds} alternating rounds",
        ["way", "MiB/s", "of direct", "of nginx", "CPU s/GiB"],
        _padded(rows, 5),
    )


def _ratios(seconds: dict[str, list[float]], name: str) -> list[str]:
    """How fast against the others, compared inside each round."""
    found = []
    for other in ("curl to the sink", "nginx, unbuffered"):
        if other in seconds:
            found.append(f"{median(b / a for a, b in zip(seconds[name], seconds[other], strict=True)):.2f}")
        else:
            found.append("not installed")
    return found


def _memory(here: Rig) -> None:
    rows = []
    for size in SIZES:
        file = here.file(size)
        before = cost(here.web())
        forget_peaks(here.web())
        here.put(file, "sized.bin")
        spent = cost(here.web()) - before
        rows.append(
            [
                f"{size // MEBIBYTE} MiB",
                f"{peak_mebibytes(here.web()):.1f}",
                f"{spent.cpu / (size / GIBIBYTE):.2f}",
                f"{spent.written / 1024:.0f}",
            ]
        )
        file.unlink()
    show("Peak memory of the largest web process", ["upload", "peak MiB", "CPU s/GiB", "KiB written to disk"], rows)
    say(f"growth from 100 MiB to 4 GiB: {float(rows[-1][1]) - float(rows[0][1]):.1f} MiB")


def _padded(rows: list[list[str]], columns: int) -> list[list[str]]:
    return [row + [""] * (columns - len(row)) for row in rows]
