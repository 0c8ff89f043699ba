"""Uploads of 1 GiB by the three ways in alternating rounds; before them memory, fresh, at 100 MiB, 1 GiB and 4 GiB."""

from tests.bench.processes import MEBIBYTE, cost, forget_peaks, peak_mebibytes
from tests.bench.rig import GIBIBYTE, Rig, curl, rig
from tests.bench.rounds import compare, ways
from tests.bench.table import say, show

SIZES = (100 * MEBIBYTE, GIBIBYTE, 4 * GIBIBYTE)


def run(*, rounds: int) -> None:
    with rig() as here:
        _memory(here)
        file = here.file(GIBIBYTE)
        before = here.sink.received()

        def direct(address: str) -> float:
            return curl("-X", "POST", "-T", str(file), f"{address}/object/bench/x")

        compare("Upload of 1 GiB", ways(here, direct, lambda: here.put(file, "one.bin")), rounds)
        arrived = [now - then for now, then in zip(here.sink.received(), before, strict=True)]
        if arrived[0] != arrived[1] * GIBIBYTE:
            raise RuntimeError(f"{arrived[0]} bytes arrived in {arrived[1]} uploads of 1 GiB")


def _memory(here: Rig) -> None:
    rows = []
    for size in SIZES:
        file = here.file(size)
        before = cost(here.web())
        forget_peaks(here.web())
        here.put(file, "sized.bin")
        spent = cost(here.web()) - before
        peak = peak_mebibytes(here.web())
        rows.append(
            [f"{size // MEBIBYTE} MiB", f"{peak:.1f}", f"{spent.cpu / (size / GIBIBYTE):.2f}", f"{spent.written / 1024:.0f}"]
        )
        file.unlink()
    show("Peak memory of the largest web process", ["upload", "peak MiB", "CPU s/GiB", "KiB written to disk"], rows)
    say(f"growth from 100 MiB to 4 GiB: {float(rows[-1][1]) - float(rows[0][1]):.1f} MiB")
