"""One attempt: send a request and return the reply or the failure as a value."""

import ssl
import threading
from collections.abc import Mapping
from http.client import HTTPException
from typing import Protocol

import requests
from urllib3.exceptions import HTTPError

from dashboard.interfaces import errors
from dashboard.interfaces.credentials import Placement, Token
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.operations import Operation, Timing
from dashboard.interfaces.transport import sessions
from dashboard.interfaces.transport.bodies import Payload, ReaderFailed, SizedReader, Upload
from dashboard.interfaces.transport.connections import current
from dashboard.interfaces.transport.watchdog import Watch

READ = 1 << 16
# Answers over 1 MiB are read and decoded a few at a time, to limit memory; they may be compressed on the wire.
_SMALL = 1 << 20
_LARGE_AT_ONCE = 4
_large = threading.BoundedSemaphore(_LARGE_AT_ONCE)
LIBRARY_ERRORS = (requests.RequestException, HTTPError, HTTPException, OSError, ValueError)

_CERTIFICATE = {
    10: "its certificate has expired",
    9: "its certificate is not valid yet",
    18: "its certificate is self-signed",
    19: "its certificate is signed by an authority that is not known here",
    20: "its certificate is signed by an authority that is not known here",
    62: "its certificate is for another host",
    64: "its certificate is for another address",
}


class Sender(Protocol):
    """The part of `Transport` that sending needs."""

    address: str
    token: Token
    placement: Placement
    timing: Timing


class Reply:
    """An answer whose body may have been read into `body`."""

    def __init__(self, response: requests.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers = sessions.names_of(response.headers)
        self.body = b""
        self.source = response.raw
        self.close = response.close
        self._is_large = False

    @property
    def succeeded(self) -> bool:
        return 200 <= self.status < 300 or self.status == 304

    @property
    def is_json(self) -> bool:
        return self.headers.get("content-type", "").lower().startswith("application/json")

    def read(self, operation: Operation, cap: int, watch: Watch) -> InterfaceError | None:
        """Read the body, at most `cap` decoded bytes; return the failure or None. Call `free` afterwards."""
        failure = self._read(operation, cap, watch)
        self.close()
        if failure is not None:
            self._release_slot()
        return failure

    def _read(self, operation: Operation, cap: int, watch: Watch) -> InterfaceError | None:
        parts: list[bytes] = []
        size = 0
        broken = waited = False
        try:
            for block in self.source.stream(READ, decode_content=True):
                parts.append(block)
                size += len(block)
                waited = size > _SMALL and not self._take_slot(watch)
                if size > cap or waited:
                    break
        except LIBRARY_ERRORS:
            broken = True
        self.body = parts[0] if size > cap else b"".join(parts)
        if watch.expired or broken or waited:
            return no_answer(operation, timed_out=watch.expired or waited, status=self.status)
        if size > cap:
            sentence = f"The answer is larger than {cap / 1_000_000:.1f} MB."
            return errors.Unexpected(sentence, operation=operation.id, service=operation.service, status=self.status)
        return None

    def free(self) -> None:
        """Release the body and its slot."""
        self.body = b""
        self._release_slot()

    def _take_slot(self, watch: Watch) -> bool:
        """Take a slot for large answers; return False if none is free within the deadline."""
        self._is_large = self._is_large or _large.acquire(timeout=max(0.0, watch.remaining()))
        return self._is_large

    def _release_slot(self) -> None:
        if self._is_large:
            self._is_large = False
            _large.release()


def send(
    sender: Sender,
    operation: Operation,
    path: str,
    *,
    query: Mapping[str, str],
    headers: Mapping[str, str],
    body: Payload | SizedReader | bytes | None,
    credential: bool,
    link: Token | None,
    watch: Watch,
) -> tuple[Reply | Exception, bool]:
    """Send a request once. Return the reply or the failure, and whether to retry."""
    origin = sessions.origin(sender.address)
    closed_for = origin.circuit.wait()
    if closed_for:
        unreachable = errors.Unreachable(operation=operation.id, service=operation.service, retry_after=closed_for)
        return unreachable, False
    data, more = _body(body, watch)
    auth: requests.auth.AuthBase = sessions.NoCredential()
    if credential:
        auth = sessions.Credential(sender.token, sender.placement, apikey=operation.service == "storage")
    if link is not None:
        auth = sessions.LinkToken(link)
    watch.connected = False
    reading = current.set(watch)
    try:
        given = {**origin.session.headers, **more, **headers}
        prepared = requests.Request(
            operation.method, sender.address + path, params=query, headers=given, data=data, auth=auth
        ).prepare()
        if not _is_intended(prepared, sender.address, path):
            return _refused(operation), False
        response = origin.session.send(
            prepared,
            stream=True,
            timeout=(max(0.01, min(sender.timing.connect, watch.remaining())), watch.patience + 1),
            verify=sessions.trusted(),
            proxies={},
            allow_redirects=False,
        )
    except ReaderFailed as failed:
        origin.circuit.connected()
        return failed.original, False
    except requests.exceptions.InvalidHeader:
        return errors.NameRefused("A header can't begin with a space.", operation=operation.id, service=operation.service), False
    except LIBRARY_ERRORS as error:
        failure, again = _not_sent(operation, watch, error)
        waited = isinstance(error, requests.ConnectTimeout)
    else:
        origin.circuit.connected()
        return Reply(response), False
    finally:
        current.reset(reading)
    if isinstance(failure, errors.Unreachable):
        origin.circuit.failed(waited=waited)
    else:
        origin.circuit.connected()
    return failure, again


def no_answer(operation: Operation, *, timed_out: bool, status: int | None = None) -> InterfaceError:
    """Return the failure for a request that was sent without a complete answer."""
    kind: type[InterfaceError] = errors.UnknownOutcome
    if operation.reads:
        kind = errors.TimedOut if timed_out else errors.Broken
    # Also after "200 OK": the status is no error then.
    sentence = kind.sentence.format(service=operation.service) if kind is errors.Broken else None
    return kind(sentence, operation=operation.id, service=operation.service, status=status)


def _not_sent(operation: Operation, watch: Watch, error: Exception) -> tuple[InterfaceError, bool]:
    if watch.connected:
        timed_out = watch.expired or isinstance(error, requests.Timeout)
        return no_answer(operation, timed_out=timed_out), not timed_out
    reason = _certificate(error)
    sentence = f"The {operation.service} service cannot be trusted: {reason}." if reason else None
    unreachable = errors.Unreachable(sentence, operation=operation.id, service=operation.service)
    return unreachable, not (reason or watch.expired or isinstance(error, requests.ConnectTimeout))


def _certificate(error: BaseException) -> str | None:
    """Return why TLS verification failed, from the library's exception chain."""
    seen: list[BaseException] = [error]
    for each in seen:
        if isinstance(each, ssl.SSLCertVerificationError):
            return _CERTIFICATE.get(each.verify_code, "its certificate is not accepted")
        inner = [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
        seen.extend(item for item in inner if isinstance(item, BaseException) and item not in seen)
    return "its TLS handshake failed" if any(isinstance(each, ssl.SSLError) for each in seen) else None


def _is_intended(prepared: requests.PreparedRequest, address: str, path: str) -> bool:
    base = address.split("://", 1)[1].partition("/")
    return prepared.path_url.partition("?")[0] == f"{base[1]}{base[2]}{path}"


def _refused(operation: Operation) -> InterfaceError:
    sentence = "Nothing was sent, because this name would become another one in the address."
    return errors.NameRefused(sentence, operation=operation.id, service=operation.service)


def _body(body: Payload | SizedReader | bytes | None, watch: Watch) -> tuple[bytes | Upload | None, dict[str, str]]:
    if body is None:
        return None, {}
    if isinstance(body, Payload):
        return body.data, {"Content-Type": body.content_type}
    # A reader of length 0 would be sent chunked.
    return (Upload(body, watch) if len(body) else b""), {}
