"""The limits of refreshing calls, over all processes."""

import time

import pytest

from dashboard.facts import budget
from dashboard.facts.models import Budget

pytestmark = pytest.mark.django_db
TOKEN = "f" * 32


def test_no_more_than_eight_calls_are_leased_at_a_time() -> None:
    first, second, third = budget.claim(TOKEN, 5), budget.claim(TOKEN, 5), budget.claim(TOKEN, 1)
    assert [first.calls, second.calls, third.calls] == [5, 3, 0]
    assert third.wait > 0


def test_no_more_than_ten_calls_begin_within_a_second() -> None:
    leases = [budget.claim(TOKEN, 5)]
    budget.release(leases[0])
    leases.append(budget.claim(TOKEN, 8))
    budget.release(leases[1])
    assert [lease.calls for lease in leases] == [5, 5]
    full = budget.claim(TOKEN, 1)
    assert (full.calls, 0 < full.wait <= 1) == (0, True)
    Budget.objects.update(begun=[time.time() - 1.1] * 10)
    assert budget.claim(TOKEN, 8).calls == 8


def test_an_announced_pause_stops_every_process() -> None:
    budget.release(budget.claim(TOKEN, 1), rest=30)
    stopped = budget.claim(TOKEN, 1)
    assert stopped.calls == 0
    assert 25 < stopped.wait <= 30


def test_calls_of_a_dead_process_give_their_places_back() -> None:
    budget.claim(TOKEN, 8)
    Budget.objects.update(held=[time.time() - 1] * 8, begun=[])
    assert budget.claim(TOKEN, 8).calls == 8


def test_each_token_has_limits_of_its_own() -> None:
    budget.claim(TOKEN, 8)
    assert budget.claim("e" * 32, 8).calls == 8
