"""Bind the web server's port; find and remember the sandbox's ports."""

import errno
import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboard.launch.rules import Refusal

LOOPBACK = "127.0.0.1"


def listen(host: str, port: int, remedy: str = "") -> socket.socket:
    """Return a listening socket for a child; the kernel queues connections while it restarts.

    Raises `Refusal` if the host is unknown, or the port is in use or not permitted. `remedy` is for addresses not set by `--host`
    and `--port`.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise Refusal(f"The host {host} is not known on this machine.") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        why = _why(host, port, error)
        raise Refusal(f"{why.partition(';')[0].rstrip('.')}. {remedy}" if remedy else why) from error
    return listener


@dataclass(frozen=True, slots=True)
class SandboxPorts:
    """The sandbox's ports. `moved`: the remembered HTTP port is taken, so earlier links fail."""

    http: int
    dns: int
    moved: bool = False


def sandbox_ports(file: Path, after: int) -> SandboxPorts:
    """Return the remembered ports, so that earlier signed links work, else the next free ones."""
    kept = remembered(file)
    http = _first_free(kept.http if kept else None, after, [socket.SOCK_STREAM])
    dns = _first_free(kept.dns if kept else None, http, [socket.SOCK_DGRAM, socket.SOCK_STREAM])
    if kept is None:
        file.write_text(json.dumps({"http": http, "dns": dns}))
    return SandboxPorts(http=http, dns=dns, moved=kept is not None and kept.http != http)


def remembered(file: Path) -> SandboxPorts | None:
    """Return the ports that the sandbox used first; None if none are stored."""
    try:
        kept = json.loads(file.read_text())
        return SandboxPorts(http=int(kept["http"]), dns=int(kept["dns"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _first_free(preferred: int | None, after: int, kinds: Sequence[socket.SocketKind]) -> int:
    for port in _candidates(preferred, after):
        if all(_is_free(port, kind) for kind in kinds):
            return port
    raise Refusal(f"The sandbox found no free port from {after + 1} on. Choose another --port.")


def _is_free(port: int, kind: socket.SocketKind) -> bool:
    with socket.socket(socket.AF_INET, kind) as probe:
        if kind is socket.SOCK_STREAM:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def _candidates(preferred: int | None, after: int) -> Iterator[int]:
    if preferred is not None:
        yield preferred
    yield from range(after + 1, min(after + 1000, 65536))


def _why(host: str, port: int, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"Port {port} on {host} is in use; choose another with --port."
        case errno.EACCES:
            return f"Port {port} may not be used by this account; choose one above 1023 with --port."
        case errno.EADDRNOTAVAIL:
            return f"The host {host} is not an address of this machine; choose another with --host."
        case _:
            return f"Port {port} on {host} can't be opened: {error.strerror}."
