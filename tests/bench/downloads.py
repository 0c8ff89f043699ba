"""Downloads of 1 GiB by the three ways in alternating rounds, Pilothouse streaming; first memory at 100 MiB, 1 GiB, 4 GiB."""

from tests.bench.processes import MEBIBYTE, forget_peaks, peak_mebibytes
from tests.bench.rig import GIBIBYTE, Rig, curl, rig
from tests.bench.rounds import compare, ways
from tests.bench.table import say, show

SIZES = (100 * MEBIBYTE, GIBIBYTE, 4 * GIBIBYTE)


def run(*, rounds: int) -> None:
    with rig() as here:
        _memory(here)

        def direct(address: str) -> float:
            return curl(f"{address}/object/authenticated/bench/zeros-{GIBIBYTE}")

        compare("Download of 1 GiB", ways(here, direct, lambda: _through(here, GIBIBYTE)), rounds)


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
