"""What a client may use of a process's time, and when its requests wait."""

from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from dashboard.web.limits import budgets
from dashboard.web.limits.budgets import Answer, Budgets


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _used_up(held: Budgets, client: str) -> None:
    """Let a client use more than its burst."""
    assert held.ask(client) is Answer.RUNS
    held.end(client, 5.0)


def test_a_client_alone_never_waits() -> None:
    held = Budgets(Clock())
    for _ in range(10):
        _used_up(held, "busy")


def test_who_used_a_lot_waits_while_others_ask() -> None:
    clock = Clock()
    held = Budgets(clock)
    _used_up(held, "busy")
    assert held.ask("other") is Answer.RUNS
    assert held.ask("busy") is Answer.WAITS
    assert held.ask("other") is Answer.RUNS

    seconds = held.resume("busy")
    assert 0 < seconds <= 2
    clock.now += seconds
    assert held.resume("busy") == 0


def test_who_waits_goes_on_once_the_others_are_gone() -> None:
    clock = Clock()
    held = Budgets(clock)
    held.ask("other")
    _used_up(held, "busy")
    for _ in range(20):
        assert held.ask("busy") is Answer.WAITS
    assert held.resume("busy")
    clock.now += 11
    assert [held.resume("busy") for _ in range(20)] == [0] * 20


def test_a_new_request_does_not_overtake_those_that_wait() -> None:
    clock = Clock()
    held = Budgets(clock)
    _used_up(held, "busy")
    held.ask("other")
    assert held.ask("busy") is Answer.WAITS
    clock.now += 5
    assert held.ask("busy") is Answer.WAITS


def test_a_process_that_stops_lets_everybody_go_on() -> None:
    held = Budgets(Clock())
    _used_up(held, "busy")
    held.ask("other")
    assert held.ask("busy") is Answer.WAITS
    assert held.resume("busy", at_once=True) == 0


def test_so_many_wait_and_the_next_are_refused() -> None:
    held = Budgets(Clock())
    _used_up(held, "busy")
    held.ask("other")
    answers = [held.ask("busy") for _ in range(100)]
    assert answers == [Answer.WAITS] * 64 + [Answer.REFUSED] * 36
    assert held.ask("other") is Answer.RUNS


@given(costs=st.lists(st.floats(0, 2), min_size=40, max_size=40))
def test_beside_others_a_client_gets_a_quarter_of_a_processor(costs: list[float]) -> None:
    clock = Clock()
    held = Budgets(clock)
    used = 0.0
    for cost in costs:
        held.ask("other")
        if held.ask("busy") is Answer.WAITS:
            while seconds := held.resume("busy"):
                clock.now += seconds + 0.001
                held.ask("other")
        used += cost
        held.end("busy", cost)
    assert used <= 0.25 * (clock.now - 1000) + 0.2 + max(costs) + 0.001


def test_many_clients_are_forgotten() -> None:
    held = Budgets(Clock())
    for number in range(10_000):
        held.ask(f"client {number}")
    assert len(held._clients) <= 4096


def test_probes_and_static_files_never_wait() -> None:
    for path in ("/healthz", "/readyz", "/metrics", "/static/css/app.css"):
        assert budgets.client_asking(path, "", "192.0.2.1", "") is None


@override_settings(TRUSTED_PROXIES=1)
def test_addresses_are_those_that_the_proxy_saw() -> None:
    one = budgets.client_asking("/l/x", "", "10.0.0.1", "192.0.2.1, 192.0.2.2")
    assert one == budgets.client_asking("/", "sessionid=unknown", "10.0.0.1", "192.0.2.2")
    assert one != budgets.client_asking("/", "", "10.0.0.1", "192.0.2.3")
