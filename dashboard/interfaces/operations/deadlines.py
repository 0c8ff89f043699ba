"""How long operations may take."""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum


class Pace(Enum):
    """Deadline class of an operation; `Timing` has the seconds."""

    QUICK = "quick"
    SLOW = "slow"
    HEAVY = "heavy"
    TRANSFER = "transfer"


@dataclass(frozen=True, slots=True)
class Timing:
    """Deadlines in seconds. `quick`, `slow` and `heavy` cover all attempts and the whole answer.

    A transfer has `stall` seconds for the first byte, and again for every MiB in either direction. Only time spent waiting for
    the service counts, so a slow browser does not end a transfer.
    """

    connect: float = 3.0
    quick: float = 15.0
    slow: float = 60.0
    heavy: float = 120.0
    stall: float = 60.0
    pause: float = 0.4  # before a retry, with jitter from a quarter to all of it

    def of(self, pace: Pace) -> float:
        return {Pace.QUICK: self.quick, Pace.SLOW: self.slow, Pace.HEAVY: self.heavy, Pace.TRANSFER: self.stall}[pace]


# No single request waits longer for its answer. A transfer may, as long as its lease is renewed.
LONGEST_WAIT = timedelta(seconds=Timing().heavy + 60)
# not shown: how long the service may go on with a request after we stopped waiting for its answer
MAY_RUN_FOR = timedelta(minutes=2)
OVER_AFTER = LONGEST_WAIT + MAY_RUN_FOR
