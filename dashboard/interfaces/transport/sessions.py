"""One pooled session, circuit and retry budget per service address, without credentials."""

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
    """Adds a token to one request, after the transport has compared the path."""

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
    """Adds the token of a signed link to its request."""

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
    """The session, circuit and retry budget of one scheme, host and port."""

    session: requests.Session
    circuit: Circuit = field(default_factory=Circuit)
    budget: Budget = field(default_factory=Budget)


class _Session(requests.Session):
    """A session without cookies, environment or redirects, whose detection would read the body."""

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.headers = requests.structures.CaseInsensitiveDict({"User-Agent": "Pilothouse", "Connection": "keep-alive"})
        adapter = _Adapter(pool_connections=1, pool_maxsize=POOL_SIZE)
        self.mount("https://", adapter)
        self.mount("http://", adapter)

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 - redirects are never followed
        return None


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
        super().init_poolmanager(connections, maxsize, block=block, blocksize=BLOCK, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": WatchedPool, "https": WatchedTLSPool}


class _Silence(logging.Filter):
    """Drops log lines of urllib3 that contain addresses, and with them credentials in the query."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING and "url=" not in str(record.msg)


_origins: dict[str, Origin] = {}
_lock = threading.Lock()


def trusted() -> str | bool:
    """Return the CA file that SSL_CERT_FILE names, for private certificates, else True."""
    return os.environ.get("SSL_CERT_FILE") or True


def origin(address: str) -> Origin:
    """Return the origin of an address, creating it on first use."""
    parts = urlsplit(address)
    key = f"{parts.scheme}://{parts.netloc}"
    with _lock:
        kept = _origins.get(key)
        if kept is None:
            kept = _origins[key] = Origin(_Session())
    return kept


def forget() -> None:
    """Close idle connections and reset circuits and budgets."""
    with _lock:
        kept = list(_origins.values())
        _origins.clear()
    for each in kept:
        each.session.close()


def secrets_of(token: Token | None) -> tuple[str, ...]:
    """Return the forms of the token that an error message may repeat."""
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
