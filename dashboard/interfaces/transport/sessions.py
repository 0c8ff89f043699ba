"""One pooled session, one circuit and one retry budget for every service address of this process. They know no credential."""

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import quote, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase

from dashboard.interfaces.credentials import Placement, Token
from dashboard.interfaces.transport.bodies import BLOCK
from dashboard.interfaces.transport.circuit import Circuit
from dashboard.interfaces.transport.connections import WatchedPool, WatchedTLSPool
from dashboard.interfaces.transport.retry_budget import Budget

POOL_SIZE = 64


class Credential(AuthBase):
    """Puts a token into one request. The transport compares addresses before and after, so nothing else may write it."""

    def __init__(self, token: Token, placement: Placement, *, apikey: bool) -> None:
        self._token = token
        self._placement = placement
        self._apikey = apikey

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._placement is Placement.QUERY:
            # not shown: the form of the value of `authorization`; the header's form is the likeliest.
            return _with_query(request, "authorization", f"Bearer {self._token.reveal()}")
        request.headers["Authorization"] = f"Bearer {self._token.reveal()}"
        if self._apikey:
            request.headers["apikey"] = self._token.reveal()
        return request


class LinkToken(AuthBase):
    """Puts the token of a signed link into its request."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return _with_query(request, "token", self._token.reveal())


class NoCredential(AuthBase):
    """Sends the request as it is."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port of a service, and what is kept for it."""

    session: requests.Session
    circuit: Circuit = field(default_factory=Circuit)
    budget: Budget = field(default_factory=Budget)


class _Session(requests.Session):
    """A session that keeps nothing: no cookies, no environment, no redirect (even looking for one would read a body)."""

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.headers = requests.structures.CaseInsensitiveDict({"User-Agent": "Pilothouse", "Connection": "keep-alive"})
        adapter = _Adapter(pool_connections=1, pool_maxsize=POOL_SIZE)
        self.mount("https://", adapter)
        self.mount("http://", adapter)

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 - there is never one
        return None


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
        super().init_poolmanager(connections, maxsize, block=block, blocksize=BLOCK, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": WatchedPool, "https": WatchedTLSPool}


class _Silence(logging.Filter):
    """urllib3 writes whole addresses, and with them the credential in the query, at DEBUG and in one warning."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING and "url=" not in str(record.msg)


_origins: dict[str, Origin] = {}
_lock = threading.Lock()


def trusted() -> str | bool:
    """Return the file of authorities that SSL_CERT_FILE names, where a service has its own certificate; else True."""
    return os.environ.get("SSL_CERT_FILE") or True


def origin(address: str) -> Origin:
    """Return what is kept for the address's scheme, host and port."""
    parts = urlsplit(address)
    key = f"{parts.scheme}://{parts.netloc}"
    with _lock:
        kept = _origins.get(key)
        if kept is None:
            kept = _origins[key] = Origin(_Session())
    return kept


def forget() -> None:
    """Close every idle connection and forget the circuits and budgets."""
    with _lock:
        kept = list(_origins.values())
        _origins.clear()
    for each in kept:
        each.session.close()


def secrets_of(token: Token | None) -> tuple[str, ...]:
    """Return the forms of the token that an echo of our request could hold."""
    if token is None:
        return ()
    return token.reveal(), quote(token.reveal(), safe="")


def names_of(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by lower-case name."""
    return {name.lower(): value for name, value in headers.items()}


def _with_query(request: requests.PreparedRequest, name: str, value: str) -> requests.PreparedRequest:
    address = request.url or ""
    request.url = f"{address}{'&' if '?' in address else '?'}{name}={quote(value, safe='')}"
    return request


def _start_over() -> None:
    global _lock  # noqa: PLW0603 - another thread of the parent may have held it
    _lock = threading.Lock()
    _origins.clear()


os.register_at_fork(after_in_child=_start_over)

for _name in ("urllib3", "urllib3.connectionpool", "urllib3.connection", "urllib3.util.retry"):
    logging.getLogger(_name).addFilter(_Silence())
