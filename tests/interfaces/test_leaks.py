"""No token of ours comes out of a failure: not in an exception, not in a traceback with local values, not in a log at DEBUG.

Every operation meets every kind of failure. The services quote the whole request in their answers, as a careless one may.
"""

import http.client
import logging
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from socket import socket
from types import TracebackType
from urllib.parse import quote, unquote

import pytest

import dashboard.interfaces
from dashboard.interfaces import Placement, errors
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.transport import sessions
from tests.interfaces import servers
from tests.interfaces.calls import CALLS, LINK_TOKEN, PUBLIC
from tests.interfaces.conftest import PATIENT, SHORT, Connect

CANARY = "canary-7f3a9c51.d2e8/b64+x"
SECRETS = (CANARY, quote(CANARY, safe=""), quote(CANARY), LINK_TOKEN)
HOME = str(Path(dashboard.interfaces.__file__).parent)
Place = tuple[str, Placement]
PLACES: list[Place] = [(ident, Placement.HEADER) for ident in CALLS] + [
    (ident, Placement.QUERY) for ident in CALLS if ident.startswith("S")
]


def _good(connection: socket, head: bytes) -> None:
    """The right answer for whatever was asked, found by its path and verb."""
    verb, target = head.split(b"\r\n", 1)[0].decode().split(" ")[:2]
    path = target.partition("?")[0]
    call = next(call for ident, call in CALLS.items() if call.path == path and OPERATIONS[ident].method == verb)
    servers.answer(call.good_bytes, kind=call.good_type)(connection, head)


CONDITIONS: dict[str, servers.Behave | None] = {
    "ok": _good,
    "400": servers.refusal(400),
    "401": servers.refusal(401),
    "403": servers.refusal(403),
    "500": servers.refusal(500),
    "timeout": servers.silence,
    "refused": None,
    "garbage": servers.garbage,
    "no JSON": servers.answer(b"<p>" + CANARY.encode()),
    "wrong JSON": servers.answer(b'{"name": {"a": "' + CANARY.encode() + b'"}, "Key": 1, "id": 1}'),
    "bad headers": servers.answer(b"[]", more="X-Broken\r\n : \r\n\x00: x\r\n"),
    "redirect": servers.answer(b"", status=302, more="Location: /elsewhere?authorization=" + CANARY + "\r\n"),
    "cut": servers.cut,
    "short": servers.ends_after(b"[", of=1000),
}


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything that anybody logs, at DEBUG, also where a configuration lowered the level by name."""
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "urllib3.connectionpool", "requests", "dashboard.interfaces", "dashboard.interfaces.transport.call"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def _inside(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame of the library on: a test's own frame may know the token."""
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(HOME):
        trace = trace.tb_next
    return trace


def _everything(error: BaseException) -> str:
    """All that a crash reporter could get out of it, chained exceptions among it, whether they would be shown or not."""
    trace = traceback.TracebackException(type(error), error, _inside(error.__traceback__), capture_locals=True)
    parts = [str(error), repr(error), repr(vars(error)), *map(repr, error.args), *trace.format(chain=True)]
    parts += [_everything(each) for each in (error.__cause__, error.__context__) if each is not None]
    return "\n".join(parts)


def _assert_clean(text: str, where: str) -> None:
    for secret in SECRETS:
        assert secret not in text, f"{where}: {text}"


def _came_with_token(server: servers.Server, place: Place) -> bool:
    """Whether the server has read this request, token and all."""
    ident, placement = place
    if ident in PUBLIC:
        return True
    for head in list(server.requests):
        line, _, headers = head.partition(b"\r\n")
        verb, target = line.decode().split(" ")[:2]
        where = target if placement is Placement.QUERY else headers.decode()
        if (verb, target.partition("?")[0]) == (OPERATIONS[ident].method, CALLS[ident].path) and CANARY in unquote(where):
            return True
    return False


@pytest.mark.exhaustive
@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_failure_of_any_operation_shows_a_token(connect: Connect, log: pytest.LogCaptureFixture, condition: str) -> None:
    behaviour = CONDITIONS[condition]

    def attempt(place: Place, address: str) -> tuple[str, BaseException | None]:
        ident, placement = place
        if behaviour is None:
            sessions.forget()  # each meets the closed port itself, not an open circuit
        try:
            CALLS[ident].run(
                connect(address, token=CANARY, placement=placement, timing=SHORT if condition == "timeout" else PATIENT)
            )
        except Exception as error:  # noqa: BLE001 - that there is no other kind is asserted below
            return ident, error
        return ident, None

    def run(places: list[Place], address: str) -> list[tuple[str, BaseException | None]]:
        with ThreadPoolExecutor(1 if behaviour is None else 12) as pool:
            return list(pool.map(lambda place: attempt(place, address), places))

    if behaviour is None:
        results = run(PLACES, servers.closed_address())
    else:
        with servers.serving(behaviour) as server:
            results, left = [], PLACES
            # Again what never got there: on a busy machine the client gives up before it is connected, which opens the circuit.
            for _ in range(20):
                sessions.forget()
                results += run(left, server.address)
                left = [place for place in left if not _came_with_token(server, place)]
            assert not left, "requests that never came with the token"
    for ident, error in results:
        assert error is None or isinstance(error, errors.InterfaceError), f"{ident}: {error!r}"
        assert condition != "ok" or error is None, f"{ident}: {error!r}"
        if error is not None:
            _assert_clean(_everything(error), f"{ident} {condition}")
    _assert_clean("\n".join(f"{record.name} {record.getMessage()} {vars(record)}" for record in log.records), condition)


def test_a_dropped_stream_shows_no_token(connect: Connect, log: pytest.LogCaptureFixture) -> None:
    with servers.serving(servers.ends_after(b"abc", of=100, kind="text/plain")) as server:
        stream = connect(server.address, token=CANARY, placement=Placement.QUERY)[1].objects.read("b", "k")
        assert "canary" not in repr(stream)
        with pytest.raises(errors.Broken) as caught:
            list(stream)
    _assert_clean(_everything(caught.value) + log.text, "stream")


def test_the_body_of_a_failed_write_shows_no_secret(connect: Connect) -> None:
    with servers.serving(servers.refusal(500)) as server:
        management, _ = connect(server.address)
        calls: list[Callable[[], object]] = [
            lambda: management.secrets.create("a" * 20, {"NAME": "top-" + "secret"}),
            lambda: management.encryption.update("a" * 20, root_key="top-" + "secret"),
        ]
        for call in calls:
            with pytest.raises(errors.Broken) as caught:
                call()
            trace = _inside(caught.value.__traceback__)
            assert trace is not None
            below = traceback.TracebackException(type(caught.value), caught.value, trace.tb_next, capture_locals=True)
            assert "top-secret" not in "".join(below.format()), "the frames of the transport hide bodies"


def test_the_libraries_print_nothing(connect: Connect, capfd: pytest.CaptureFixture[str]) -> None:
    assert http.client.HTTPConnection.debuglevel == 0
    with servers.serving(servers.refusal(403)) as server, pytest.raises(errors.NotAllowed):
        connect(server.address, token=CANARY)[0].projects.all()
    _assert_clean("".join(capfd.readouterr()), "output")
