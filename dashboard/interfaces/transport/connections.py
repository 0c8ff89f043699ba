"""Connections that the watchdog can shut down."""

import socket
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError
from urllib3.response import HTTPResponse

from dashboard.interfaces.transport.dialer import dial
from dashboard.interfaces.transport.watchdog import Watch

current: ContextVar[Watch | None] = ContextVar("current", default=None)
"""The watch of this thread's current exchange."""


class _Watched(HTTPConnection):
    """Register each socket with the watch of the exchange that uses it. Not reused after the server refused a body."""

    _has_body = False

    def _new_conn(self) -> socket.socket:
        try:
            sock = dial(self._dns_host, self.port, timeout=float(self.timeout or 0), options=self.socket_options or ())
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from None
        except TimeoutError:
            raise ConnectTimeoutError(self, "no connection in time") from None
        except OSError:
            raise NewConnectionError(self, "no connection") from None
        watch = current.get()
        if watch is not None:
            watch.hold(sock)
        return sock

    def connect(self) -> None:
        super().connect()
        watch = current.get()
        if watch is not None:
            watch.connected = True
            # urllib3 would keep the short connect timeout while sending; a large body may stall longer.
            self.sock.settimeout(watch.patience)

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        watch = current.get()
        if watch is not None and self.sock is not None:
            watch.hold(self.sock)
            watch.connected = True
            self.timeout = watch.patience
        self._has_body = bool(kwargs.get("body"))
        super().request(method, url, *args, **kwargs)

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # as in urllib3
        response = super().getresponse()
        if self._has_body and response.status >= HTTPStatus.BAD_REQUEST and self.sock is not None:
            # A server may refuse before it has read the body, and then reads no further request either: the real storage server
            # does so from some 128 KiB on. The answer has its own handle of the socket.
            self.sock.close()
            self.sock = None
        return response


class _WatchedTLS(_Watched, HTTPSConnection):
    pass


class WatchedPool(HTTPConnectionPool):
    ConnectionCls = _Watched


class WatchedTLSPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTLS
