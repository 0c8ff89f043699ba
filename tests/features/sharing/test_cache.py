"""A signed link is reused for everybody who opens the same share link within five seconds; the share link is never cached."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import monotonic

import pytest
from django.contrib.auth.hashers import make_password
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.features.sharing.services import cache
from dashboard.links.models import Share
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.features.sharing.conftest import Desk

Wait = Callable[[float], None]


@pytest.fixture(autouse=True)
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """For what is kept time stands still, but for so many seconds."""
    now = [monotonic()]
    monkeypatch.setattr(cache, "monotonic", lambda: now[0])

    def move(seconds: float) -> None:
        now[0] += seconds

    return move


def asked(calls: Calls) -> int:
    """How often the service was asked about an object since this was last counted."""
    return sum("/object/sign/" in call or "/object/info/" in call for call in calls())


def opened(share: Share) -> int:
    return Share.objects.get(pk=share.pk).opened


@pytest.fixture(params=[False, True], ids=["straight to the file", "its page"])
def landing(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_openings_within_five_seconds_share_one_signed_link_and_each_is_counted(desk: Desk, calls: Calls, wait: Wait) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=False)
    calls()
    first = desk.visitor.get(path)["Location"]
    wait(4.9)
    assert {desk.visitor.get(path)["Location"], desk.visitor.get(f"{path}/file")["Location"]} == {first}
    assert (asked(calls), opened(share)) == (1, 3)


def test_a_page_opened_within_five_seconds_asks_the_service_once(desk: Desk, calls: Calls, wait: Wait) -> None:
    desk.put("a.txt", body=b"0123456789")
    share, path = desk.share("a.txt")
    calls()
    assert "10 bytes" in desk.visitor.get(path).text
    wait(4.9)
    assert "10 bytes" in desk.visitor.get(path).text
    assert (asked(calls), opened(share)) == (1, 2)


def test_the_page_names_the_seconds_that_are_left_of_a_reused_link(desk: Desk, settings: Settings) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    for life, left in ((60, 55), (10, 9)):
        settings.SHARE_LINK_SECONDS = life
        assert f"must start within {left} seconds" in desk.visitor.get(path).text


def test_after_five_seconds_the_service_is_asked_anew(desk: Desk, calls: Calls, wait: Wait, landing: bool) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt", landing=landing)
    desk.visitor.get(path)
    calls()
    wait(5.1)
    desk.visitor.get(path)
    assert asked(calls) == 1
    desk.storage.objects.delete(desk.bucket, "a.txt")
    wait(5.1)
    assert desk.visitor.get(path).status_code == 404


def test_a_short_signed_link_is_reused_for_a_tenth_of_its_life(desk: Desk, calls: Calls, wait: Wait, settings: Settings) -> None:
    settings.SHARE_LINK_SECONDS = 10
    desk.put("a.txt")
    _, path = desk.share("a.txt", landing=False)
    desk.visitor.get(path)
    calls()
    wait(0.9)
    desk.visitor.get(path)
    assert asked(calls) == 0
    wait(0.2)
    desk.visitor.get(path)
    assert asked(calls) == 1


CHANGES: dict[str, tuple[dict[str, object], int]] = {
    "revoked": ({"revoked_at": timezone.now()}, 410),
    "expired": ({"ends_at": timezone.now() - timedelta(seconds=1)}, 410),
    "used up": ({"limit": 1, "opened": 1}, 410),
    "given a password": ({"password": make_password("correct horse")}, 200),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_kept_does_not_open_a_link_that_changed(desk: Desk, change: str, landing: bool) -> None:
    desk.put("secret name.txt")
    share, path = desk.share("secret name.txt", landing=landing)
    desk.visitor.get(path)
    values, status = CHANGES[change]
    Share.objects.filter(pk=share.pk).update(**values)
    answer = desk.visitor.get(path)
    assert (answer.status_code, "Location" in answer, "secret name" in answer.text) == (status, False, False)


def leave(desk: Desk) -> None:
    desk.person.is_active = False
    desk.person.save()


def lock(desk: Desk) -> None:
    desk.person.locked_at = timezone.now() + timedelta(seconds=1)
    desk.person.save()


def forget(desk: Desk) -> None:
    StoredToken.objects.filter(person=desk.person, kind=Kind.STORAGE).delete()


@pytest.mark.parametrize(("act", "status"), [(leave, 410), (lock, 410), (forget, 503)])
def test_what_is_kept_does_not_open_a_link_whose_owner_may_not_act(
    desk: Desk, act: Callable[[Desk], None], status: int, landing: bool
) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=landing)
    desk.visitor.get(path)
    act(desk)
    answer = desk.visitor.get(path)
    assert (answer.status_code, "Location" in answer) == (status, False)
    assert opened(share) == 1


def test_another_token_asks_for_itself(desk: Desk, service: Sandbox, landing: bool) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=landing)
    desk.visitor.get(path)
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    Share.objects.filter(pk=share.pk).update(hidden_at=None)
    assert desk.visitor.get(path).status_code == 503


def test_two_links_to_one_object_keep_apart(desk: Desk, calls: Calls) -> None:
    desk.put("a.txt")
    paths = [desk.share("a.txt", landing=False)[1] for _ in range(2)]
    calls()
    for path in paths:
        desk.visitor.get(path)
    assert asked(calls) == 2


def test_a_link_that_was_seen_to_lead_to_nothing_is_asked_for_each_time(desk: Desk, landing: bool) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=landing)
    desk.visitor.get(path)
    desk.storage.objects.delete(desk.bucket, "a.txt")
    Share.objects.filter(pk=share.pk).update(gone_at=timezone.now())
    assert desk.visitor.get(path).status_code == 404
    assert Share.objects.get(pk=share.pk).gone_at is not None


def test_a_failure_is_not_kept(desk: Desk, faults: Faults, service: Sandbox, landing: bool) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt", landing=landing)
    faults("S19" if landing else "S14", status=400, times=1)
    assert desk.visitor.get(path).status_code == 503
    assert desk.visitor.get(path).status_code == (200 if landing else 302)


def test_no_more_than_a_thousand_answers_are_kept(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST", 2)
    monkeypatch.setattr(cache, "_asked", {})
    desk.put("a.txt")
    for _ in range(4):
        desk.visitor.get(desk.share("a.txt", landing=False)[1])
        assert len(cache._asked) <= 2


def crowd(path: str, people: int) -> list[HttpResponse]:
    def click(_: int) -> HttpResponse:
        try:
            return Client().get(path)  # type: ignore[return-value] # Django's test client adds to the response
        finally:
            connection.close()

    with ThreadPoolExecutor(people) as threads:
        return list(threads.map(click, range(people)))


@pytest.mark.django_db(transaction=True)
def test_people_who_open_a_link_at_the_same_time_share_one_call(desk: Desk, faults: Faults, calls: Calls) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=False)
    faults("S14", delay=0.5)
    calls()
    assert len({answer["Location"] for answer in crowd(path, 6)}) == 1
    assert (asked(calls), opened(share)) == (1, 6)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_longer_than_a_second_for_the_call_of_somebody_else(desk: Desk, faults: Faults, calls: Calls) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", landing=False)
    faults("S14", delay=4, times=1)
    calls()
    crowd(path, 3)
    assert (asked(calls), opened(share)) == (3, 3)
