"""1,000 objects of 1 MiB as one archive, and read one after the other by curl alone; memory, and other sizes; `unzip -t`."""

import os
import shutil
import subprocess
from statistics import median

from tests.bench.processes import MEBIBYTE, cost, forget_peaks, peak_mebibytes
from tests.bench.rig import BUCKET, Rig, curl, rig
from tests.bench.table import say, show

# Number and size of the objects, by the names of the sink's folders.
PACKS = {"1,000 of 1 MiB": (1000, MEBIBYTE), "4 of 256 MiB": (4, 256 * MEBIBYTE), "5,000 of 16 KiB": (5000, 16 << 10)}
SMALL = (10, MEBIBYTE)


def run(*, rounds: int) -> None:
    with rig() as here:
        _memory(here)
        rows = [_compared(here, name, count, size, rounds) for name, (count, size) in PACKS.items()]
        show(
            f"Archives, medians of {rounds} alternating rounds",
            ["objects", "archive MiB/s", "bare MiB/s", "of bare", "CPU s/GiB"],
            rows,
        )
        _unpacked(here)


def _compared(here: Rig, name: str, count: int, size: int, rounds: int) -> list[str]:
    packed, bare, cpu = [], [], []
    _pack(here, count, size)
    for _ in range(rounds):
        bare.append(_bare(here, count, size))
        before = cost(here.web())
        packed.append(_pack(here, count, size))
        cpu.append((cost(here.web()) - before).cpu)
    mebibytes = count * size / MEBIBYTE
    ratio = median(theirs / ours for ours, theirs in zip(packed, bare, strict=True))
    return [
        name,
        f"{mebibytes / median(packed):.0f}",
        f"{mebibytes / median(bare):.0f}",
        f"{ratio:.2f}",
        f"{median(cpu) / mebibytes * 1024:.2f}",
    ]


def _memory(here: Rig) -> None:
    rows = []
    for count, size in (SMALL, *PACKS.values()):
        forget_peaks(here.web())
        _pack(here, count, size)
        rows.append([f"{count:,} of {size >> 10:,} KiB", f"{peak_mebibytes(here.web()):.1f}"])
    show("Peak memory of the largest web process", ["archive", "peak MiB"], rows)
    growth = max(float(peak) for _, peak in rows) - float(rows[0][1])
    say(f"growth from {rows[0][0]}: {growth:.1f} MiB")


def _unpacked(here: Rig) -> None:
    """Check that the archive is complete."""
    unzip = shutil.which("unzip")
    if unzip is None:
        say("unzip is not installed")
        return
    path = here.folder / "archive.zip"
    count, size = PACKS["1,000 of 1 MiB"]
    subprocess.run(["curl", "-sS", "-o", str(path), "-H", f"Cookie: {here.cookie}", _address(here, count, size)], check=True)
    done = subprocess.run([unzip, "-tqq", str(path)], check=False)
    say(f"unzip -t of 1,000 objects: {'clean' if done.returncode == 0 else f'status {done.returncode}'}")


def _pack(here: Rig, count: int, size: int) -> float:
    return curl("-H", f"Cookie: {here.cookie}", _address(here, count, size))


def _address(here: Rig, count: int, size: int) -> str:
    return f"{here.page()}~download/archive/?go=1&folder=pack-{count}x{size}%2F"


def _bare(here: Rig, count: int, size: int) -> float:
    """Return the seconds for the same objects, one after the other on one connection."""
    path = here.folder / f"bare-{count}x{size}"
    if not path.exists():
        base = f"{here.sink.address}/object/authenticated/{BUCKET}/pack-{count}x{size}"
        lines = [f'url = "{base}/zeros-{size}-{number:06}"\noutput = "{os.devnull}"' for number in range(count)]
        path.write_text("\n".join(lines))
    done = subprocess.run(["curl", "-sSf", "-K", str(path), "-w", "%{time_total}\n"], capture_output=True, text=True, check=True)
    return sum(float(line) for line in done.stdout.split())
