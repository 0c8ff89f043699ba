"""Every wait has an end, however the service drags it out."""

import time
from concurrent.futures import ThreadPoolExecutor
from socket import socket, socketpair

import pytest

from dashboard.interfaces import Timing, errors
from dashboard.interfaces.transport.watchdog import Watch
from tests.interfaces import servers
from tests.interfaces.conftest import SHORT, Connect


@pytest.mark.parametrize(
    "behaviour", [servers.silence, servers.drip_head, servers.drip_body, servers.drip_endless], ids=lambda each: each.__name__
)
def test_a_read_that_is_dripped_or_left_alone_times_out(connect: Connect, behaviour: servers.Behave) -> None:
    with servers.serving(behaviour) as server:
        management, _ = connect(server.address, timing=SHORT)
        started = time.monotonic()
        with pytest.raises(errors.TimedOut) as caught:
            management.projects.all()
        assert time.monotonic() - started < SHORT.quick + 4
        assert len(server.requests) == 1, "a timeout is not tried again"
    assert caught.value.operation == "M1"
    assert caught.value.duration_ms >= SHORT.quick * 900


@pytest.mark.parametrize("behaviour", [servers.silence, servers.drip_head, servers.drip_body], ids=lambda each: each.__name__)
def test_a_write_that_is_dripped_or_left_alone_has_an_unknown_outcome(connect: Connect, behaviour: servers.Behave) -> None:
    with servers.serving(behaviour) as server:
        management, _ = connect(server.address, timing=SHORT)
        with pytest.raises(errors.UnknownOutcome):
            management.organizations.create("Acme")
        assert len(server.requests) == 1


def test_the_deadline_reaches_a_connection_that_was_used_before(connect: Connect) -> None:
    with servers.serving(servers.in_turn(servers.answer(b"[]"), servers.drip_body)) as server:
        management, _ = connect(server.address, timing=SHORT)
        assert management.projects.all() == []
        with pytest.raises(errors.TimedOut):
            management.projects.all()
        assert server.connections == 1


def test_one_slow_answer_does_not_end_another(connect: Connect) -> None:
    def slow_or_not(connection: socket, head: bytes) -> None:
        (servers.drip_head if b"organizations" in head else servers.answer(b"[]"))(connection, head)

    with servers.serving(slow_or_not) as server, ThreadPoolExecutor(8) as pool:
        management, _ = connect(server.address, timing=SHORT)
        slow = pool.submit(management.organizations.all)
        quick = [pool.submit(management.projects.all) for _ in range(40)]
        assert all(each.result() == [] for each in quick)
        assert isinstance(slow.exception(), errors.TimedOut)


def test_heavy_operations_get_their_own_time(connect: Connect) -> None:
    def late(connection: socket, head: bytes) -> None:
        time.sleep(1)
        servers.answer(b'{"message": "queued"}')(connection, head)

    with servers.serving(late) as server:
        _, storage = connect(server.address, timing=Timing(quick=0.5, heavy=15))
        assert storage.buckets.empty("b") == "queued"
        with pytest.raises(errors.UnknownOutcome):
            storage.buckets.delete("b")


def test_an_address_that_swallows_connections_is_unreachable_in_the_connect_time(connect: Connect) -> None:
    with servers.black_hole() as address:
        management, _ = connect(address, timing=SHORT)
        started = time.monotonic()
        with pytest.raises(errors.Unreachable):
            management.projects.all()
        assert time.monotonic() - started < SHORT.quick + 4


def test_a_write_to_a_closed_port_is_unreachable_not_unknown(connect: Connect) -> None:
    management, storage = connect(servers.closed_address())
    with pytest.raises(errors.Unreachable):
        management.organizations.create("Acme")
    with pytest.raises(errors.Unreachable):
        storage.objects.upload("b", "k", b"x", content_type="text/plain")


def test_a_name_that_resolves_nowhere_is_unreachable(connect: Connect) -> None:
    management, _ = connect("http://nowhere.invalid")
    with pytest.raises(errors.Unreachable) as caught:
        management.organizations.create("Acme")
    assert "nowhere" not in str(caught.value)


def test_a_clock_that_is_stopped_or_started_twice_keeps_its_time() -> None:
    watch = Watch()
    watch.arm(20)
    watch.pause()
    left = watch.remaining()
    watch.pause()
    assert watch.remaining() == left
    watch.resume()
    watch.resume()
    assert left - 5 < watch.remaining() <= left
    watch.close()


def test_a_connection_that_opens_after_the_deadline_is_cut_at_once() -> None:
    watch = Watch()
    watch.arm(0)
    watch.expire(time.monotonic())
    ours, theirs = socketpair()
    with ours, theirs:
        watch.hold(ours)
        theirs.settimeout(5)
        assert theirs.recv(1) == b""
    watch.close()
