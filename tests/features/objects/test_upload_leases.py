"""One upload at a time to a key, over all tabs, people and processes."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from dashboard.catalog import leases
from dashboard.catalog.models import KeyLease
from dashboard.interfaces.errors import UnknownOutcome
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.objects.test_upload import put
from tests.features.service import Faults
from tests.people import hold

Calls = Callable[[], list[str]]


@pytest.fixture
def colleague(service: Sandbox, desk: Desk) -> Person:
    somebody = Person.objects.create(email=f"{uuid4().hex}@example.org")
    hold(somebody, service.storage_tokens[desk.space]["service"], desk.space)
    return somebody


def test_a_key_that_is_being_uploaded_in_another_tab_is_not_sent_again(desk: Desk, owner: Person, calls: Calls) -> None:
    with leases.lease(Workspace(owner), desk.space, desk.bucket, "a.txt"):
        before = len(calls())
        answer = put(desk, "a.txt")
        assert answer.status_code == 423
        assert answer.json()["title"] == "You are already uploading this file name."
        assert answer.json()["retry_after"] >= 1
        assert len(calls()) == before
        assert put(desk, "b.txt").status_code == 200
    assert put(desk, "a.txt").status_code == 200
    assert not KeyLease.objects.exists()


def test_a_key_stays_held_after_an_upload_without_an_answer(desk: Desk, owner: Person) -> None:
    lost = UnknownOutcome(operation="S9", service="storage")
    with pytest.raises(UnknownOutcome), leases.lease(Workspace(owner), desk.space, desk.bucket, "a.txt"):
        raise lost
    assert leases.is_held(desk.space, desk.bucket, "a.txt")
    with pytest.raises(ValueError, match="refused"), leases.lease(Workspace(owner), desk.space, desk.bucket, "b.txt"):
        raise ValueError("refused")
    assert not leases.is_held(desk.space, desk.bucket, "b.txt")


def test_a_key_that_a_colleague_uploads_to_is_not_sent_either(desk: Desk, colleague: Person) -> None:
    with leases.lease(Workspace(colleague), desk.space, desk.bucket, "a.txt"):
        answer = put(desk, "a.txt", policy="replace")
    assert (answer.status_code, answer.json()["title"]) == (423, "Somebody else is already uploading this file name.")


def test_a_key_that_a_job_writes_to_is_said_to_be_held_by_the_job(desk: Desk, owner: Person, colleague: Person) -> None:
    for person, whose in ((owner, "Your"), (colleague, "Somebody else's")):
        assert leases.claim(Workspace(person), desk.space, desk.bucket, ["a.txt"], job=7, seconds=60) == set()
        assert put(desk, "a.txt").json()["title"] == f"{whose} job is writing to this file name."
        leases.release(desk.space, desk.bucket, ["a.txt"], job=7)
    assert put(desk, "a.txt").status_code == 200


def test_keep_both_takes_the_next_name_beside_one_that_is_being_uploaded_to(desk: Desk, colleague: Person) -> None:
    desk.put("a.txt")
    with leases.lease(Workspace(colleague), desk.space, desk.bucket, "a (1).txt"):
        assert put(desk, "a.txt", policy="both").json()["key"] == "a (2).txt"


def test_a_new_folder_waits_for_its_key_too(desk: Desk, colleague: Person) -> None:
    with leases.lease(Workspace(colleague), desk.space, desk.bucket, "new/.emptyFolderPlaceholder"):
        answer = desk.client.post(desk.address("folder"), {"path": "", "name": "new"})
        assert answer.status_code == 423
        assert "Somebody else is already uploading this file name" in answer.text
    assert desk.names() == []


def test_a_lease_of_a_process_that_died_ends_by_itself(desk: Desk, colleague: Person) -> None:
    with leases.lease(Workspace(colleague), desk.space, desk.bucket, "a.txt"):
        KeyLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert put(desk, "a.txt").status_code == 200
        KeyLease.objects.create(name="0" * 64, holder="x", person=colleague, expires_at=timezone.now() - timedelta(seconds=1))
        leases.forget_expired()
        assert not KeyLease.objects.exists()


def test_a_refused_upload_gives_its_key_back_and_one_without_an_answer_keeps_it(desk: Desk, faults: Faults) -> None:
    faults("S9", status=403, times=1)
    assert put(desk, "a.txt").status_code == 403
    assert not KeyLease.objects.exists()
    faults("S9", cut="before", times=1)
    assert put(desk, "a.txt").status_code == 504
    assert put(desk, "a.txt").status_code == 423


def test_a_lease_is_renewed_while_bytes_pass(desk: Desk, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEW_SECONDS", -1)
    with leases.lease(Workspace(owner), desk.space, desk.bucket, "a.txt") as held:
        KeyLease.objects.update(expires_at=timezone.now() + timedelta(seconds=1))
        body = leases.LeasedBody(Body(), held)
        body.read(5)
        assert KeyLease.objects.get().expires_at > timezone.now() + timedelta(seconds=60)


class Body:
    def read(self, size: int = -1, /) -> bytes:
        return b"x" * size

    def __len__(self) -> int:
        return 10
