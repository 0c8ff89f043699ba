"""Run one operation: from the arguments to a record, a stream or an `InterfaceError`.

Exceptions of libraries never leave this package and are never chained to ours, because their text and frames contain addresses
and credentials. So they are caught, turned into values, and raised as our errors further out.
"""

import logging
import random
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from dashboard.interfaces import errors, paths, records
from dashboard.interfaces.credentials import Placement, Token
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.exchange import Exchange, Gate, Memory, Observer
from dashboard.interfaces.operations import OPERATIONS, Operation, Pace, Timing
from dashboard.interfaces.transport.asks import OMITTED, Answer, Ask, Guard
from dashboard.interfaces.transport.bodies import Payload, SizedReader
from dashboard.interfaces.transport.failures import failure_of, remaining, reset, retry_after
from dashboard.interfaces.transport.retries import Reply, send
from dashboard.interfaces.transport.sessions import origin, secrets_of
from dashboard.interfaces.transport.streams import ObjectStream
from dashboard.interfaces.transport.watchdog import Watch

logger = logging.getLogger(__name__)

ATTEMPTS = 3
LONGEST_PAUSE = 2.0
ERROR_CAP = 1 << 16
T = TypeVar("T")


class Transport:
    """One service address with one credential. Sessions are shared by address, so it is cheap.

    ValueError if the address is not http(s), or contains a user, a query or a fragment.
    """

    def __init__(
        self,
        address: str,
        token: Token,
        *,
        placement: Placement = Placement.HEADER,
        observer: Observer | None = None,
        gate: Gate | None = None,
        memory: Memory | None = None,
        guard: Guard | None = None,
        timing: Timing | None = None,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
            message = "A service address is http(s)://host[:port][/path], without user, query and fragment."
            raise ValueError(message)
        self.address = address.rstrip("/")
        self.token = token
        self.placement = placement
        self.timing = timing or Timing()
        self._observer = observer
        self._gate = gate or _open_gate
        self._memory = memory
        self._guard = guard

    def fetch(self, ask: Ask, shape: type[T], *, otherwise: Callable[[Answer], T] | None = None) -> T:
        """Run an operation and decode its answer; `otherwise` handles an empty body."""

        def send(asked: Ask, shape: type[T]) -> T:
            operation = OPERATIONS[asked.operation]

            def make(answer: Answer) -> T:
                if otherwise is not None and not answer.body:
                    return otherwise(answer)
                return records.decode(answer, shape, operation=operation)

            return self._finish(asked, make)

        def read() -> T:
            return send(ask, shape) if self._guard is None else self._guard.fetch(ask, shape, send)

        ask = self._checked(ask)
        return self._remembered(ask, shape, read)

    def answer(self, ask: Ask) -> Answer:
        """Run an operation and return its undecoded answer."""
        ask = self._checked(ask)
        return self._remembered(ask, Answer, lambda: self._finish(ask, lambda answer: answer))

    def open(self, ask: Ask) -> ObjectStream:
        """Start a download and return its stream."""
        ask = self._checked(ask)
        operation, started, watch = OPERATIONS[ask.operation], time.monotonic(), Watch()
        result = self._attempts(operation, ask, watch)
        if isinstance(result, Reply):
            self._report(ask, "done", started, result, None)
            stream = ObjectStream(
                result.source, operation=operation, status=result.status, headers=result.headers, watch=watch, close=result.close
            )
            return stream if self._guard is None else self._guard.follow(ask, stream)
        watch.close()
        self._report(ask, type(result).__name__, started, None, result)
        raise result

    def _remembered(self, ask: Ask, shape: type[T], read: Callable[[], T]) -> T:
        if self._memory is None or not OPERATIONS[ask.operation].reads:
            return read()
        return self._memory.read(ask.operation, ask.question, shape, read)

    def _checked(self, ask: Ask) -> Ask:
        return ask if self._guard is None else self._guard.check(ask)

    def _finish(self, ask: Ask, make: Callable[[Answer], T]) -> T:
        operation, started = OPERATIONS[ask.operation], time.monotonic()
        with Watch() as watch:
            result = self._attempts(operation, ask, watch)
        if isinstance(result, Reply):
            reply = result
            try:
                made = make(Answer(result.status, result.headers, result.body))
            except InterfaceError as error:
                result = error
            else:
                self._report(ask, "done", started, result, None, rows=len(made) if isinstance(made, list) else None)
                return made
            finally:
                reply.free()
        self._report(ask, type(result).__name__, started, None, result)
        raise result

    def _attempts(self, operation: Operation, ask: Ask, watch: Watch) -> Reply | Exception:
        """Send, retrying reads within the deadline and the address's retry budget."""
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", **ask.headers}
        try:
            path = paths.build(operation.path, ask.names) if ask.path is None else ask.path
            body = ask.body if ask.json is OMITTED else Payload(msgspec.json.encode(ask.json), "application/json")
            urlencode(ask.query)
        except paths.BadPathError as problem:
            return errors.NameRefused(str(problem), operation=operation.id, service=operation.service)
        except UnicodeError:
            return errors.NameRefused(
                "A text contains an incomplete character.", operation=operation.id, service=operation.service
            )
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            return errors.NameRefused(
                "A header can contain ASCII characters only.", operation=operation.id, service=operation.service
            )
        try:
            with self._gate(operation, f"{self.address} {ask.names.get('ref', '')}"):
                watch.arm(self.timing.of(operation.pace))
                return self._tries(operation, ask, watch, path=path, headers=headers, body=body)
        except InterfaceError as closed:
            return closed

    def _tries(
        self,
        operation: Operation,
        ask: Ask,
        watch: Watch,
        *,
        path: str,
        headers: Mapping[str, str],
        body: Payload | SizedReader | bytes | None,
    ) -> Reply | Exception:
        budget = origin(self.address).budget
        budget.called()
        for left in reversed(range(ATTEMPTS)):
            result, again = send(
                self,
                operation,
                path,
                query=ask.query,
                headers=headers,
                body=body,
                credential=ask.credential,
                link=ask.link,
                watch=watch,
            )
            if isinstance(result, Reply):
                result, again = self._judge(operation, ask, result, watch)
            if isinstance(result, Reply) or not (again and left and operation.reads):
                break
            pause = max(random.uniform(0.25, 1.0) * self.timing.pause, getattr(result, "retry_after", None) or 0.0)  # noqa: S311 - spreads load only
            if pause > LONGEST_PAUSE or pause >= watch.remaining() or not budget.spend():
                break
            time.sleep(pause)
        return result

    def _judge(self, operation: Operation, ask: Ask, reply: Reply, watch: Watch) -> tuple[Reply | Exception, bool]:
        """Read the answer as needed; return the reply or failure, and whether to retry."""
        if reply.succeeded:
            if operation.pace is Pace.TRANSFER and operation.reads:
                return reply, False
            if ask.body_optional and not reply.is_json:
                reply.close()
                return reply, False
            failure = reply.read(operation, operation.request.cap, watch)
            if failure is not None and ask.body_optional and not reply.body:
                return reply, False
            return (reply, False) if failure is None else (failure, False)
        broken = reply.read(operation, ERROR_CAP, watch)
        secrets = secrets_of(self.token) + secrets_of(ask.link) + ask.secrets
        failure = failure_of(operation, reply.status, reply.headers, b"" if broken else reply.body, secrets=secrets)
        return failure, reply.status in (429, 502, 503, 504)

    def _report(
        self,
        ask: Ask,
        outcome: str,
        started: float,
        reply: Reply | None,
        failure: Exception | None,
        *,
        rows: int | None = None,
    ) -> None:
        spent = (time.monotonic() - started) * 1000
        headers = reply.headers if reply else {}
        status, wait, left = reply.status if reply else None, retry_after(headers), remaining(headers)
        if isinstance(failure, InterfaceError):
            failure.duration_ms = spent
            status, wait, left = failure.status, failure.retry_after, failure.remaining
        logger.debug("%s %s %s in %.0f ms", ask.operation, outcome, status, spent)
        if self._observer is not None:
            bucket = ask.names.get("bucketName", "")
            self._observer(Exchange(ask.operation, outcome, status, spent, wait, left, reset(headers), bucket, rows))

    def __repr__(self) -> str:
        return f"<Transport {urlsplit(self.address).netloc}>"


class Part:
    """A part of an interface: some of its operations, over a transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport


def _open_gate(_operation: Operation, _scope: str) -> AbstractContextManager[None]:
    return nullcontext()
