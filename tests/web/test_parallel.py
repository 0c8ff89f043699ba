"""Calls side by side."""

import threading
import time

import pytest
from django.db import connection

from dashboard.features.patterns.records import failure
from dashboard.interfaces.errors import Broken
from dashboard.web.process.parallel import DatabaseInPool, side_by_side, try_all


def test_results_keep_their_order() -> None:
    def slow() -> str:
        time.sleep(0.05)
        return "slow"

    assert side_by_side(slow, lambda: "quick") == ("slow", "quick")


def test_they_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=5)
    assert len(side_by_side(meeting.wait, meeting.wait, meeting.wait)) == 3


def test_the_first_failure_goes_up_after_all_ended() -> None:
    ended = threading.Event()

    def fail() -> None:
        raise failure("broken")

    def late() -> None:
        time.sleep(0.05)
        ended.set()

    with pytest.raises(Broken):
        side_by_side(fail, late)
    assert ended.is_set()


def test_a_failure_of_the_interface_stays_with_its_call() -> None:
    def fail() -> str:
        raise failure("broken")

    well, broken = try_all(lambda: "well", fail)
    assert well.value == "well"
    assert isinstance(broken.error, Broken)


def test_a_mistake_of_ours_goes_up() -> None:
    with pytest.raises(ZeroDivisionError):
        try_all(lambda: 1 // 0)


@pytest.mark.django_db(transaction=True)
def test_the_pool_never_touches_the_database() -> None:
    def ask() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        finally:
            connection.close()

    with pytest.raises(DatabaseInPool):
        side_by_side(ask, lambda: None)
