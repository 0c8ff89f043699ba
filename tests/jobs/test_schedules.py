"""Timers, in this process."""

import secrets
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.jobs import schedules
from dashboard.jobs.models import Schedule
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.workspace import Workspace

Looks = list[tuple[str, int]]


@pytest.fixture
def looks() -> Looks:
    return []


@pytest.fixture
def watching(looks: Looks, owner: Person) -> Callable[..., Schedule]:
    """Begins a timer of the kind "look", that is due now; `then` is what its callable returns or raises."""

    def begin(then: float | Exception | None = 30.0, key: str = "abc", every: float = 60) -> Schedule:
        def look(workspace: Workspace, schedule: Schedule) -> float | None:
            looks.append((schedule.key, workspace.person.pk))
            schedule.payload["looks"] = schedule.payload.get("looks", 0) + 1
            if isinstance(then, Exception):
                raise then
            return then

        schedules._runs["look"] = look
        return schedules.start("look", key, owner=owner, first_in=0, every=every, payload={"ref": key})

    return begin


def due(kind: str = "look", key: str = "abc") -> Schedule:
    """The timer, made due again."""
    Schedule.objects.filter(kind=kind, key=key).update(next_at=timezone.now())
    return found(kind, key)


def found(kind: str = "look", key: str = "abc") -> Schedule:
    schedule = schedules.find(kind, key)
    assert schedule
    return schedule


def seconds(schedule: Schedule) -> float:
    assert schedule.next_at
    return (schedule.next_at - timezone.now()).total_seconds()


def test_it_runs_for_its_owner_and_comes_round_when_it_said(
    watching: Callable[..., Schedule], looks: Looks, owner: Person
) -> None:
    watching(then=30)
    assert schedules.any_due()
    assert schedules.run_due()
    assert not schedules.run_due()
    assert looks == [("abc", owner.pk)]
    assert 28 < seconds(found()) <= 30
    assert found().payload == {"ref": "abc", "looks": 1}
    assert found().last_run_at
    assert found().is_on


def test_it_goes_when_it_says_so(watching: Callable[..., Schedule]) -> None:
    watching(then=None)
    schedules.run_due()
    assert schedules.find("look", "abc") is None


def test_it_is_not_run_before_its_time(watching: Callable[..., Schedule], looks: Looks, owner: Person) -> None:
    watching()
    schedules.start("look", "abc", owner=owner, first_in=60, every=60)
    assert not schedules.run_due()
    assert looks == []


def test_a_new_watch_takes_the_place_of_the_old_one(watching: Callable[..., Schedule], owner: Person, ada: Person) -> None:
    watching()
    schedules.start("look", "abc", owner=ada, first_in=5, every=10)
    assert Schedule.objects.count() == 1
    assert found().owner == ada


def test_only_one_worker_gets_it(watching: Callable[..., Schedule]) -> None:
    watching()
    mine = schedules._claim()
    assert mine
    assert schedules._claim() is None
    schedules._run(mine)
    assert found().claim == ""


def test_one_that_a_killed_worker_held_comes_round_again(watching: Callable[..., Schedule], looks: Looks) -> None:
    watching()
    schedules._claim()
    assert 100 < seconds(found()) <= 120
    due()
    assert schedules.run_due()
    assert len(looks) == 1


def test_what_is_stopped_meanwhile_stays_stopped(watching: Callable[..., Schedule]) -> None:
    watching()
    mine = schedules._claim()
    assert mine
    assert schedules.stop("look", "abc")
    schedules._run(mine)
    assert schedules.find("look", "abc") is None
    assert not schedules.stop("look", "abc")


def test_what_is_begun_anew_meanwhile_keeps_its_new_time(watching: Callable[..., Schedule], owner: Person) -> None:
    watching(then=None)
    mine = schedules._claim()
    assert mine
    schedules.start("look", "abc", owner=owner, first_in=500, every=60)
    schedules._run(mine)
    assert seconds(found()) > 400


def test_a_failing_service_is_left_alone_longer_each_time(watching: Callable[..., Schedule]) -> None:
    watching(then=errors.Broken(operation="M18", service="management", status=502, text="bad gateway"), every=10)
    waits = []
    for _ in range(12):
        due()
        schedules.run_due()
        waits.append(round(seconds(found())))
    assert waits[:4] == [10, 20, 40, 80]
    assert max(waits) <= 3600
    assert (found().failures, found().message) == (12, "bad gateway")


def test_the_time_that_the_service_asks_for_is_kept(watching: Callable[..., Schedule]) -> None:
    watching(then=errors.SlowDown(operation="M18", service="management", status=429, retry_after=200.0), every=10)
    schedules.run_due()
    assert 195 < seconds(found()) <= 200


def test_a_mistake_of_ours_ends_neither_timer_nor_worker(watching: Callable[..., Schedule]) -> None:
    watching(then=ZeroDivisionError())
    assert schedules.run_due()
    assert found().is_on
    assert "Something failed in Pilothouse" in found().message


@pytest.mark.parametrize("error", [TokenMissing(kind="management"), errors.TokenRefused(operation="M15", service="management")])
def test_it_ends_with_the_reason_when_the_token_is_gone(watching: Callable[..., Schedule], error: Exception) -> None:
    watching(then=error)
    schedules.run_due()
    assert not found().is_on
    assert "token" in found().message
    assert not schedules.any_due()


def test_it_ends_when_its_owner_left(watching: Callable[..., Schedule], looks: Looks) -> None:
    watching()
    Person.objects.update(is_active=False)
    schedules.run_due()
    assert looks == []
    assert found().message == "Its owner can no longer sign in."


def test_a_kind_that_nobody_registered_is_refused(owner: Person) -> None:
    with pytest.raises(KeyError):
        schedules.start("nothing of the kind", "abc", owner=owner, first_in=0, every=1)


def test_a_kind_has_one_meaning() -> None:
    def look(workspace: Workspace, schedule: Schedule) -> None:
        return None

    schedules.register("one meaning", look)
    schedules.register("one meaning", look)
    with pytest.raises(ValueError, match="already"):
        schedules.register("one meaning", print)


def test_one_that_is_cut_off_is_due_again_at_once(watching: Callable[..., Schedule]) -> None:
    watching()
    mine = schedules._claim()
    assert mine

    def cut(workspace: Workspace, schedule: Schedule) -> None:
        raise KeyboardInterrupt

    schedules._runs["look"] = cut
    with pytest.raises(KeyboardInterrupt):
        schedules._run(mine)
    assert found().next_at
    assert seconds(found()) < timedelta(seconds=1).total_seconds()


def test_one_that_another_worker_took_between_the_look_and_the_claim_is_left_to_it(
    watching: Callable[..., Schedule], looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching()
    mark = secrets.token_hex
    ran: list[bool] = []

    def beside(size: int) -> str:
        if not ran:
            ran.append(True)
            assert schedules.run_due()
        return mark(size)

    monkeypatch.setattr(secrets, "token_hex", beside)
    assert not schedules.run_due()
    assert len(looks) == 1
