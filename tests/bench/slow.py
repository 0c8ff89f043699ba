"""32 slow uploads at once while somebody asks for a light page ten times a second."""

import http.client
import threading
import time
from dataclasses import dataclass, field
from statistics import quantiles
from urllib.parse import urlsplit

from tests.bench.processes import MEBIBYTE
from tests.bench.rig import Rig, rig
from tests.bench.table import show

UPLOADS = 32
SIZE = 20 * MEBIBYTE
PIECE = 64 * 1024
PAUSE = PIECE / MEBIBYTE


@dataclass
class Tally:
    """The results of the uploads."""

    done: int = 0
    sent_away: int = 0
    without_retry_after: int = 0
    failed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def run(*, rounds: int) -> None:
    rows = []
    with rig() as here:
        for _ in range(rounds):
            tally = Tally()
            threads = [threading.Thread(target=_upload, args=(here, tally, number)) for number in range(UPLOADS)]
            for thread in threads:
                thread.start()
            times = _probe(here, threads)
            cuts = quantiles(times, n=100)
            rows.append(
                [
                    f"{len(times)}",
                    f"{cuts[49] * 1000:.0f}",
                    f"{cuts[98] * 1000:.0f}",
                    f"{max(times) * 1000:.0f}",
                    tally.done,
                    tally.sent_away,
                    tally.without_retry_after,
                    len(tally.failed),
                ]
            )
    show(
        f"{UPLOADS} uploads at 1 MiB/s beside a page asked for ten times a second",
        ["pages", "p50 ms", "p99 ms", "longest ms", "uploads done", "told to wait", "told so without Retry-After", "failed"],
        rows,
    )


def _probe(here: Rig, uploads: list[threading.Thread]) -> list[float]:
    times = []
    while any(thread.is_alive() for thread in uploads):
        begun = time.monotonic()
        connection = http.client.HTTPConnection(urlsplit(here.started.address).netloc, timeout=10)
        connection.request("GET", "/account/", headers={"Cookie": here.cookie})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if answer.status >= 400:
            raise RuntimeError(f"the page answered {answer.status}")
        times.append(time.monotonic() - begun)
        time.sleep(max(0.0, 0.1 - times[-1]))
    return times


def _upload(here: Rig, tally: Tally, number: int) -> None:
    """Upload like the page's script: if refused with a Retry-After, wait and try again."""
    while True:
        try:
            status, retry_after = _send(here, f"slow-{number}.bin")
        except OSError as error:
            with tally.lock:
                tally.failed.append(str(error))
            return
        with tally.lock:
            if status == 200:
                tally.done += 1
                return
            tally.sent_away += 1
            tally.without_retry_after += retry_after is None
            if status != 503 or retry_after is None:
                tally.failed.append(f"status {status}")
                return
        time.sleep(float(retry_after))


def _send(here: Rig, key: str) -> tuple[int, str | None]:
    address = urlsplit(here.upload_address(key))
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    connection.putrequest("PUT", f"{address.path}?{address.query}")
    for line in [*here.upload_headers(), f"Content-Length: {SIZE}"]:
        name, _, value = line.partition(": ")
        connection.putheader(name, value)
    connection.endheaders()
    piece = bytes(PIECE)
    try:
        for _ in range(SIZE // PIECE):
            connection.send(piece)
            time.sleep(PAUSE)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the answer came before the end of the body
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("Retry-After")
