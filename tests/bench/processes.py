"""The cost of processes, from /proc: CPU seconds, peak memory, bytes written to disks."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds (user and system) and bytes sent to disks, for all processes together."""

    cpu: float
    written: int

    def __sub__(self, earlier: "Cost") -> "Cost":
        return Cost(cpu=self.cpu - earlier.cpu, written=self.written - earlier.written)


def cost(pids: Iterable[int]) -> Cost:
    cpu, written = 0.0, 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        cpu += (int(fields[11]) + int(fields[12])) / TICKS
        written += next(
            int(line.split()[1]) for line in Path(f"/proc/{pid}/io").read_text().splitlines() if line.startswith("write_bytes")
        )
    return Cost(cpu=cpu, written=written)


def forget_peaks(pids: Iterable[int]) -> None:
    """Reset the peaks, so that earlier memory does not count."""
    for pid in pids:
        with suppress(OSError):
            Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_mebibytes(pids: Iterable[int]) -> float:
    """Return the largest resident size that one of the processes reached."""
    return max(_high_water(pid) for pid in pids)


def _high_water(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / MEBIBYTE
