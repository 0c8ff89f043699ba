"""A gunicorn worker that takes turns. Stopping it loses no request; killing it loses none that a proxy can retry."""

import errno
import os
import select
import selectors
import socket
import time
from collections import deque
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gunicorn import util
from gunicorn.http.message import Request
from gunicorn.http.wsgi import Response
from gunicorn.workers.gthread import TConn, ThreadWorker

from dashboard.web.http.requests import FLOOR_BYTES_PER_SECOND, GRACE_SECONDS
from dashboard.web.limits import budgets

if TYPE_CHECKING:
    from dashboard.launch.health import HealthServer

LINGER_SECONDS = 2.0
DRAINED_BYTES = 65_536
COOKIE, FORWARDED = "COOKIE", "X-FORWARDED-FOR"
REFUSAL = b"""HTTP/1.1 503 Service Unavailable\r
Connection: close\r
Content-Type: text/plain\r
Retry-After: 5\r
\r
Too many requests at once. Try again in a few seconds.
"""


class WebResponse(Response):  # type: ignore[misc] # gunicorn has no types
    """A response that sends its headers and the first block of the body in one piece.

    gunicorn sends them one after the other. If a worker is killed in between, a proxy has already passed the headers on and can't
    ask another replica any more.
    """

    headers_sent: bool

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self._head = b""

    def send_headers(self) -> None:
        if not self.headers_sent:
            lines = [*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers), "\r\n"]
            self._head = "".join(lines).encode("latin-1")
            self.headers_sent = True

    def write(self, arg: bytes) -> None:
        super().write(arg)
        self._send_head()

    def sendfile(self, respiter: object) -> bool:
        self.send_headers()
        self._send_head()
        return bool(super().sendfile(respiter))

    def close(self) -> None:
        self.send_headers()
        self._send_head()
        super().close()

    def _emit_body(self, data: bytes) -> None:
        if self.chunked:
            data = b"%X\r\n%b\r\n" % (len(data), data)
        self._send_head(data)

    def _send_head(self, body: bytes = b"") -> None:
        """Send the headers unless they are sent, and `body`."""
        head, self._head = self._head, b""
        if head or body:
            _send(self.sock, head + body)


def _send(connection: socket.socket, data: bytes) -> None:
    """Send all of it. A reader below the minimum speed of uploads is dropped: others need the thread."""
    connection.settimeout(GRACE_SECONDS + len(data) / FLOOR_BYTES_PER_SECOND)
    try:
        util.write(connection, data)
    except TimeoutError:
        raise BrokenPipeError(errno.EPIPE, "The reader is too slow.") from None  # gunicorn closes, and logs no failure of ours
    connection.settimeout(None)


@dataclass(slots=True)
class _Waiting:
    """A request whose client has used up its budget. It holds no thread; the connection's parser yields it once more."""

    client: Hashable
    connection: TConn
    request: Request
    parser: Any

    def __next__(self) -> Request:
        self.connection.parser = self.parser
        self.connection.charged = self.client
        return self.request


class WebWorker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Take turns with other workers, delay clients that have used up their budget, and stop listening at once.

    It doesn't wait for clients that keep their connection open.

    The kernel wakes all processes that poll a shared socket, the latest first, so one worker would get everything. With an
    exclusive poll only one is woken, and each connection puts it back at the end of the queue.

    gunicorn only stops accepting. The kernel still completes connections, a proxy sends requests over them, and they are reset
    when the worker ends. A proxy retries a refused connection at the next replica at once, whatever the method.
    """

    health: "HealthServer | None" = None

    def init_process(self) -> None:
        self._queue: select.epoll | None = None
        super().init_process()

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self._lingering: deque[TConn] = deque()
        self._budgets = budgets.Budgets()
        self._waiting: dict[Hashable, deque[TConn]] = {}

    def handle_request(self, req: Request, conn: TConn) -> object:
        """Answer a request within its client's budget. Otherwise delay it without a thread, or refuse it."""
        client = conn.__dict__.pop("charged", None)
        if client is None:
            cookies, forwarded = (
                ",".join(value for name, value in req.headers if name == wanted) for wanted in (COOKIE, FORWARDED)
            )
            address = str(conn.client[0]) if isinstance(conn.client, tuple) else ""
            client = budgets.client_asking(req.path, cookies, address, forwarded)
            if client is None or not self.alive:
                return super().handle_request(req, conn)
            match self._budgets.ask(client):
                case budgets.Answer.WAITS:
                    conn.parser = waiting = _Waiting(client, conn, req, conn.parser)
                    return waiting
                case budgets.Answer.REFUSED:
                    _send(conn.sock, REFUSAL)
                    return False
        budgets.start()
        try:
            return super().handle_request(req, conn)
        finally:
            self._budgets.end(client, budgets.taken())

    def _keepalive_after(self, conn: TConn, keepalive: object) -> object:
        return keepalive if isinstance(keepalive, _Waiting) else super()._keepalive_after(conn, keepalive)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Also resume requests that have waited long enough."""
        super().wait_for_and_dispatch_events(min(timeout, self._resume()))

    def _resume(self) -> float:
        """Resume requests that may run now, or all once this process stops. Return the seconds until the next check."""
        soonest = 1.0
        for client, queue in list(self._waiting.items()):
            while queue:
                seconds = self._budgets.resume(client, at_once=not self.alive)
                if seconds:
                    soonest = min(soonest, seconds)
                    break
                self.nr_conns += 1
                self.enqueue_req(queue.popleft())
            if not queue:
                del self._waiting[client]
        return soonest

    def finish_request(self, conn: TConn, fs: Future[object]) -> None:
        """Close a connection in the background; gunicorn would block its loop for up to two seconds.

        A delayed connection doesn't count as open, so that others are accepted.
        """
        if not fs.cancelled() and not fs.exception() and isinstance(waiting := fs.result(), _Waiting):
            self.nr_conns -= 1
            self._waiting.setdefault(waiting.client, deque()).append(conn)
            if not self.alive:
                self._resume()
            return
        if fs.cancelled() or fs.exception() or fs.result():
            super().finish_request(conn, fs)
            return
        # When stopping, the process ends once nothing is open, so only then does a closing connection count.
        conn.is_counted = not self.alive
        self.nr_conns -= self.alive
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.nr_conns -= conn.is_counted
            conn.close()
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self._lingering.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._drain, conn))
        if len(self._lingering) > self.worker_connections:
            self._end(self._lingering[0])

    def murder_pending(self) -> None:
        """Also close connections that have lingered long enough."""
        super().murder_pending()
        while self._lingering and self._lingering[0].timeout <= time.monotonic():
            self._end(self._lingering[0])

    def _drain(self, conn: TConn, client: socket.socket) -> None:
        """Read what the client still sends: closing with unread bytes would reset the connection and could lose the answer."""
        if client.fileno() == -1:
            return  # closed by an event of the same turn
        try:
            if client.recv(DRAINED_BYTES):
                return
        except BlockingIOError:
            return
        except OSError:
            pass  # the client reset it
        self._end(conn)

    def _end(self, conn: TConn) -> None:
        self._lingering.remove(conn)
        self.poller.unregister(conn.sock)
        self.nr_conns -= conn.is_counted
        conn.close()

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not self.alive:
            self._resume()
            self._stop_listening()
        elif enabled:
            for listener in self.sockets:
                self._queue_up(listener)

    def accept(self, listener: socket.socket) -> None:
        super().accept(listener)
        if self.alive and self._accepting:
            self._queue_up(listener)

    def _queue_up(self, listener: socket.socket) -> None:
        """Move to the end of the queue for this listener. `selectors` can't, so change its epoll object (Linux) directly."""
        if not isinstance(self.poller, selectors.EpollSelector):
            return
        if self._queue is None:
            self._queue = select.epoll.fromfd(os.dup(self.poller.fileno()))
        self._queue.unregister(listener)
        self._queue.register(listener, select.EPOLLIN | select.EPOLLEXCLUSIVE)

    def _stop_listening(self) -> None:
        """Accept what the kernel has completed, then close. The loop may have done so before it notices that it should end."""
        for listener in self.sockets:
            if listener.fileno() == -1:
                continue
            while select.select([listener], [], [], 0)[0]:
                # Don't block: another process may accept the connection first.
                listener.setblocking(False)
                self.accept(listener)
            listener.close()
        if self.health:
            self.health.stop()
