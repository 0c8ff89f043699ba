"""The 46 operations: method, path, read or write, deadline and size limit."""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from types import MappingProxyType

from dashboard.interfaces.errors import Service

MEBIBYTE = 1 << 20
JSON_CAP = 10 * MEBIBYTE
LISTING_CAP = 32 * MEBIBYTE


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


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the document. `reads` allows retries; `cap` limits the decoded JSON bytes."""

    id: str
    method: str
    path: str
    reads: bool
    pace: Pace = Pace.QUICK
    cap: int = JSON_CAP

    @property
    def service(self) -> Service:
        return "management" if self.id.startswith("M") else "storage"


def _read(ident: str, method: str, path: str, *, pace: Pace = Pace.QUICK, cap: int = JSON_CAP) -> Operation:
    return Operation(ident, method, path, reads=True, pace=pace, cap=cap)


def _write(ident: str, method: str, path: str, *, pace: Pace = Pace.QUICK, cap: int = JSON_CAP) -> Operation:
    return Operation(ident, method, path, reads=False, pace=pace, cap=cap)


OPERATIONS = MappingProxyType(
    {
        operation.id: operation
        for operation in (
            _read("M1", "GET", "/v1/projects", cap=LISTING_CAP),
            _write("M2", "POST", "/v1/projects"),
            _read("M3", "GET", "/v1/organizations", cap=LISTING_CAP),
            _write("M4", "POST", "/v1/organizations"),
            _read("M5", "GET", "/v1/projects/{ref}/secrets"),
            _write("M6", "POST", "/v1/projects/{ref}/secrets"),
            _write("M7", "DELETE", "/v1/projects/{ref}/secrets"),
            _read("M8", "GET", "/v1/projects/{ref}/types/typescript", pace=Pace.SLOW),
            _write("M9", "POST", "/v1/projects/{ref}/functions", pace=Pace.SLOW),
            _read("M10", "GET", "/v1/projects/{ref}/functions", cap=LISTING_CAP),
            _read("M11", "GET", "/v1/projects/{ref}/functions/{function_slug}"),
            _write("M12", "PATCH", "/v1/projects/{ref}/functions/{function_slug}", pace=Pace.SLOW),
            _write("M13", "DELETE", "/v1/projects/{ref}/functions/{function_slug}"),
            _read("M14", "GET", "/v1/projects/{ref}/functions/{function_slug}/body", pace=Pace.SLOW, cap=LISTING_CAP),
            _read("M15", "GET", "/v1/projects/{ref}/custom-hostname"),
            _write("M16", "DELETE", "/v1/projects/{ref}/custom-hostname"),
            _write("M17", "POST", "/v1/projects/{ref}/custom-hostname/initialize"),
            _write("M18", "POST", "/v1/projects/{ref}/custom-hostname/reverify"),
            _write("M19", "POST", "/v1/projects/{ref}/custom-hostname/activate"),
            _read("M20", "GET", "/v1/projects/{ref}/pgsodium"),
            _write("M21", "PUT", "/v1/projects/{ref}/pgsodium"),
            _read("M22", "POST", "/v1/projects/{ref}/network-bans/retrieve"),
            _write("M23", "DELETE", "/v1/projects/{ref}/network-bans"),
            _read("M24", "GET", "/v1/projects/{ref}/network-restrictions"),
            _write("M25", "POST", "/v1/projects/{ref}/network-restrictions/apply"),
            _write("S1", "POST", "/bucket/"),
            _read("S2", "GET", "/bucket/", cap=LISTING_CAP),
            _write("S3", "POST", "/bucket/{bucketId}/empty", pace=Pace.HEAVY),
            _read("S4", "GET", "/bucket/{bucketId}"),
            _write("S5", "PUT", "/bucket/{bucketId}"),
            _write("S6", "DELETE", "/bucket/{bucketId}"),
            _write("S7", "DELETE", "/object/{bucketName}/{wildcard}"),
            _write("S8", "DELETE", "/object/{bucketName}", cap=LISTING_CAP),
            _write("S9", "POST", "/object/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
            _write("S10", "PUT", "/object/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
            _write("S11", "POST", "/object/move", pace=Pace.HEAVY),
            _write("S12", "POST", "/object/copy", pace=Pace.HEAVY),
            _read("S13", "POST", "/object/list/{bucketName}", cap=LISTING_CAP),
            _read("S14", "POST", "/object/sign/{bucketName}/{wildcard}"),
            _read("S15", "POST", "/object/sign/{bucketName}", cap=LISTING_CAP),
            _read("S16", "GET", "/object/sign/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
            _read("S17", "GET", "/object/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
            _read("S18", "GET", "/object/authenticated/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
            _read("S19", "GET", "/object/info/authenticated/{bucketName}/{wildcard}"),
            _read("S20", "GET", "/object/public/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
            _read("S21", "GET", "/object/info/public/{bucketName}/{wildcard}"),
        )
    }
)
