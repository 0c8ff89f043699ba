"""Retries are a tenth of the calls at most, and ten on top: a service that is down meets no second wave."""

import pytest

from dashboard.interfaces import errors
from tests.interfaces import servers
from tests.interfaces.conftest import Connect

CALLS = 100
UNWELL = servers.answer(b"", status=503)


def test_a_service_that_stays_down_gets_a_tenth_more_requests_than_calls(connect: Connect) -> None:
    with servers.serving(UNWELL) as server:
        management, storage = connect(server.address)
        for number in range(CALLS):
            with pytest.raises(errors.Broken):
                (management.projects.all if number % 2 else storage.buckets.all)()
        assert CALLS + 10 <= len(server.requests) <= CALLS + CALLS // 10 + 10


def test_a_service_that_is_well_again_earns_new_retries(connect: Connect) -> None:
    fine = servers.answer(b"[]")
    with servers.serving(servers.in_turn(*[UNWELL] * 15, *[fine] * 20, UNWELL, UNWELL, fine)) as server:
        management, _ = connect(server.address)
        for _ in range(5):
            with pytest.raises(errors.Broken):
                management.projects.all()
        for _ in range(21):
            assert management.projects.all() == [], "the last one took two retries"
        assert len(server.requests) == 38


def test_writes_spend_nothing_of_it(connect: Connect) -> None:
    with servers.serving(servers.in_turn(*[UNWELL] * 12, UNWELL, UNWELL, servers.answer(b"[]"))) as server:
        management, _ = connect(server.address)
        for _ in range(12):
            with pytest.raises(errors.Broken):
                management.organizations.create("Acme")
        assert management.projects.all() == []
