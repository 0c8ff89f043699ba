"""Open a connection within one timeout for the DNS lookup and all addresses."""

import socket
import threading
import time
from collections.abc import Sequence

Option = tuple[int, int, int | bytes]
Address = tuple[
    socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
]


def dial(host: str, port: int, *, timeout: float, options: Sequence[Option] = ()) -> socket.socket:
    """Return a connected socket, or raise gaierror, TimeoutError or another OSError within about `timeout` seconds."""
    end = time.monotonic() + timeout
    addresses = _look_up(host, port, timeout)
    failure = OSError("the name has no address")
    for position, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        try:
            for option in options:
                sock.setsockopt(*option)
            # Split the remaining time, so that an address that drops packets leaves some for the others.
            sock.settimeout(max(0.01, (end - time.monotonic()) / (len(addresses) - position)))
            sock.connect(address)
        except OSError as error:
            failure = error
            sock.close()
        else:
            return sock
    raise failure


def _look_up(host: str, port: int, timeout: float) -> list[Address]:
    """Resolve in a separate thread, because getaddrinfo has no timeout."""
    found: list[Address] = []
    failed: list[OSError] = []

    def ask() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            failed.append(error)
        except UnicodeError:
            failed.append(socket.gaierror("no name that can be looked up"))

    if host.replace(".", "").isdecimal() or ":" in host:
        ask()
    else:
        asking = threading.Thread(target=ask, name="interface-lookup", daemon=True)
        asking.start()
        asking.join(timeout)
        if asking.is_alive():
            message = "looking the name up took too long"
            raise TimeoutError(message)
    if failed:
        raise failed[0]
    return found
