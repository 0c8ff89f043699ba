"""`python -m dashboard.sandbox --data DIR --port N`: migrate, seed, serve, print a JSON line when ready."""

import argparse
import fcntl
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import IO

import django


def main() -> None:
    options = arguments()
    lock = locked(options.data)
    listener = bound(socket.SOCK_STREAM, options.host, options.port)
    dns = bound_pair("127.0.0.1", options.dns_port)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "dashboard.sandbox.settings",
        "SANDBOX_DATA": str(options.data),
        "SANDBOX_AUTHORIZATION": options.authorization,
        "SANDBOX_DNS": address(dns[0]),
        "SANDBOX_DELAY": str(options.delay),
        "SANDBOX_RATE_LIMIT": "1" if options.rate_limit else "",
        "SANDBOX_GENERATION": options.generation,
        "SANDBOX_LIST_CAP": str(options.list_cap),
    }
    end_with_parent()

    django.setup()
    from dashboard.sandbox.prepare import prepare, ready_line  # noqa: PLC0415 - models need Django set up
    from dashboard.sandbox.server import Server  # noqa: PLC0415 - same

    prepare(empty=options.empty)
    url, dns_address = f"http://{address(listener)}", address(dns[0])
    Server(listener.detach(), dns, lambda: ready_line(url, dns_address), threads=options.threads).run()
    lock.close()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m dashboard.sandbox", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that keeps the database and the objects")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--dns-port", type=int, default=0, help="UDP and TCP; 0: any free one")
    parser.add_argument("--empty", action="store_true", help="one organization, one project, nothing else")
    parser.add_argument(
        "--authorization", choices=["either", "header", "query"], default="either", help="where the storage token is read"
    )
    parser.add_argument("--delay", type=float, default=3, metavar="SECONDS", help="how long new projects and restrictions take")
    parser.add_argument("--rate-limit", action="store_true", help="answer 429 above the announced rates")
    parser.add_argument(
        "--generation",
        choices=["today", "document"],
        default="today",
        help="a service of today, or one as old as the document: without size limits, media types and other buckets",
    )
    parser.add_argument(
        "--list-cap", type=whole, default=0, metavar="ROWS", help="rows of a listing of objects at most, whatever is asked for"
    )
    parser.add_argument("--threads", type=int, default=64)
    options = parser.parse_args()
    options.data = options.data.absolute()
    return options


def whole(text: str) -> int:
    """Parse a whole number, 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("a whole number")
    return int(text)


def refuse(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.exit(2)


def locked(folder: Path) -> IO[str]:
    """Lock the folder for one sandbox, waiting briefly for a killed one to release it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        refuse(f"The folder {folder} can't be written: {error.strerror}.")
        raise
    for _ in range(30):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(0.1)
        else:
            return lock
    refuse(f"Another sandbox is running in {folder}.")
    return lock


def bound(kind: socket.SocketKind, host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, kind)
    if kind is socket.SOCK_STREAM:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        if kind is socket.SOCK_STREAM:
            sock.listen(512)
    except OSError as error:
        refuse(f"{host}:{port} can't be used: {error.strerror}.")
    return sock


def bound_pair(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """Bind UDP and TCP to the same port; for port 0, one that is free for both."""
    for _ in range(20):
        datagrams = bound(socket.SOCK_DGRAM, host, port)
        chosen = datagrams.getsockname()[1]
        stream = socket.socket(datagrams.family, socket.SOCK_STREAM)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            stream.bind((host, chosen))
            stream.listen(32)
        except OSError:
            stream.close()
            datagrams.close()
            if port:
                break
        else:
            return datagrams, stream
    refuse(f"{host}:{port} can't be used for DNS over TCP.")
    raise SystemExit(2)


def address(sock: socket.socket) -> str:
    """Return the socket's address as reached from this machine."""
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - a comparison, nothing is bound
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def end_with_parent() -> None:
    """Exit when the parent process ends. Polled, because a death signal is tied to the parent's thread."""
    parent = os.getppid()
    if parent <= 1:
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main()
