"""The same transfer by several ways, in alternating rounds of one run. Only results of the same round are compared."""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from tests.bench.processes import cost
from tests.bench.rig import GIBIBYTE, Rig
from tests.bench.table import show

DIRECT, NGINX, OURS = "curl and the sink", "nginx, unbuffered", "Pilothouse"


@dataclass
class Way:
    """One way for 1 GiB: how to run it, the processes in the middle, and the times of each round."""

    name: str
    go: Callable[[], float]
    pids: Callable[[], list[int]]
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def round(self) -> None:
        before = cost(self.pids())
        self.seconds.append(self.go())
        self.cpu.append((cost(self.pids()) - before).cpu)

    def against(self, other: "Way | None") -> str:
        """Return how many times as fast as the other it was, compared within each round."""
        if other is None:
            return "not installed"
        return f"{median(theirs / ours for ours, theirs in zip(self.seconds, other.seconds, strict=True)):.2f}"


def ways(here: Rig, direct: Callable[[str], float], ours: Callable[[], float]) -> list[Way]:
    """Return the ways: straight to the sink, through nginx if installed, and through Pilothouse. `direct` takes an address."""
    found = [Way(DIRECT, lambda: direct(here.sink.address), list), Way(OURS, ours, here.web)]
    if nginx := here.nginx:
        found.insert(1, Way(NGINX, lambda: direct(nginx.address), nginx.pids))
    return found


def compare(title: str, candidates: list[Way], rounds: int) -> None:
    """Run every way once to warm up, then in rounds, and print the table."""
    for way in candidates:
        way.go()
    for _ in range(rounds):
        for way in candidates:
            way.round()
    by_name = {way.name: way for way in candidates}
    rows = [
        [
            way.name,
            f"{GIBIBYTE / (1 << 20) / median(way.seconds):.0f}",
            way.against(by_name[DIRECT]),
            way.against(by_name.get(NGINX)),
            f"{median(way.cpu):.2f}" if way.name != DIRECT else "",
        ]
        for way in candidates
    ]
    show(f"{title}, medians of {rounds} alternating rounds", ["way", "MiB/s", "of direct", "of nginx", "CPU s/GiB"], rows)
