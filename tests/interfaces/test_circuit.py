"""An address that is away is not waited for again and again."""

import pytest

from dashboard.interfaces import Exchange, errors
from dashboard.interfaces.transport import connections
from dashboard.interfaces.transport.circuit import Circuit
from tests.interfaces import servers
from tests.interfaces.conftest import SHORT, Connect


def test_it_opens_after_five_failures_and_then_connects_no_more(
    connect: Connect, exchanges: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    with servers.black_hole() as address:
        management, _ = connect(address, timing=SHORT)
        for _ in range(3):  # a timeout weighs two
            with pytest.raises(errors.Unreachable):
                management.projects.all()
        dialled: list[object] = []
        monkeypatch.setattr(connections, "dial", lambda *there, **_more: dialled.append(there))
        with pytest.raises(errors.Unreachable) as caught:
            management.projects.all()
        assert dialled == []
    assert caught.value.retry_after == pytest.approx(5, abs=4)


def test_answers_never_open_it(connect: Connect) -> None:
    with servers.serving(servers.refusal(500, "Internal server error")) as server:
        management, _ = connect(server.address)
        for _ in range(12):
            with pytest.raises(errors.Broken):
                management.projects.all()


def test_one_address_does_not_close_another(connect: Connect) -> None:
    away, _ = connect(servers.closed_address())
    for _ in range(4):
        with pytest.raises(errors.Unreachable):
            away.projects.all()
    with servers.serving(servers.answer(b"[]")) as server:
        assert connect(server.address)[0].projects.all() == []


def test_one_caller_probes_after_the_pause_and_an_answer_closes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("dashboard.interfaces.transport.circuit.time.monotonic", lambda: now)
    circuit = Circuit()
    for _ in range(5):
        circuit.failed(waited=False)
    assert circuit.wait() == 5
    now += 5
    assert circuit.wait() == 0, "the probe"
    assert circuit.wait() > 0, "everybody else"
    circuit.failed(waited=False)
    assert circuit.wait() == 10, "a probe that fails doubles the pause"
    now += 10
    assert circuit.wait() == 0
    circuit.connected()
    assert circuit.wait() == 0
    assert circuit.wait() == 0


def test_old_failures_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("dashboard.interfaces.transport.circuit.time.monotonic", lambda: now)
    circuit = Circuit()
    for _ in range(20):
        circuit.failed(waited=False)
        now += 3
        assert circuit.wait() == 0
