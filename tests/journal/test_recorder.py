from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError
from django.test import RequestFactory
from django.utils import timezone

from dashboard.interfaces import errors
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import NotRecorded, digest, record
from dashboard.team.models import Person
from dashboard.web.http.logs import lines_of
from dashboard.web.http.requests import ClientGone
from dashboard.web.pages.errors import _problem


def fails(kind: type[errors.InterfaceError], status: int | None = None, text: str = "") -> errors.InterfaceError:
    return kind(operation="S1", service="storage", status=status, text=text)


def test_the_row_is_there_before_anything_is_sent(ada: Person) -> None:
    with record(person_id=ada.pk, operation="S1", target="bucket photos", place="abc", token="12345678"):
        entry = Entry.objects.get()
        assert entry.outcome == Outcome.OPEN
        assert (entry.person, entry.operation, entry.target, entry.place, entry.token) == (
            ada,
            "S1",
            "bucket photos",
            "abc",
            "12345678",
        )


def test_it_is_closed_with_what_came_of_it(ada: Person) -> None:
    with record(person_id=ada.pk, operation="S5", before={"public": False}) as change:
        change.after = {"public": True}
        change.status = 200
    entry = Entry.objects.get()
    assert entry.outcome == Outcome.DONE
    assert (entry.before, entry.after, entry.status) == ({"public": False}, {"public": True}, 200)
    assert entry.duration_ms is not None


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (fails(errors.TokenRefused, 403), Outcome.REFUSED),
        (fails(errors.Conflict, 409), Outcome.REFUSED),
        (fails(errors.SlowDown, 429), Outcome.REFUSED),
        (ValidationError("the last one"), Outcome.REFUSED),
        (fails(errors.Unreachable), Outcome.FAILED),
        (fails(errors.Broken, 502), Outcome.UNKNOWN),
        (ClientGone("cut"), Outcome.FAILED),
        (fails(errors.UnknownOutcome), Outcome.UNKNOWN),
        (fails(errors.Unexpected, 200), Outcome.UNKNOWN),
        (RuntimeError("ours"), Outcome.UNKNOWN),
        (KeyboardInterrupt(), Outcome.UNKNOWN),
    ],
)
def test_every_failure_has_its_outcome(ada: Person, error: BaseException, outcome: Outcome) -> None:
    with pytest.raises(type(error)), record(person_id=ada.pk, operation="S1"):
        raise error
    assert Entry.objects.get().outcome == outcome


def test_the_words_and_the_status_of_a_refusal_are_kept(ada: Person) -> None:
    with pytest.raises(errors.Conflict), record(person_id=ada.pk, operation="S1"):
        raise fails(errors.Conflict, 409, "The resource already exists")
    entry = Entry.objects.get()
    assert (entry.status, entry.message) == (409, "The resource already exists")


def test_a_change_that_cannot_be_recorded_is_not_sent(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr(Entry, "save", full)
    sent = []
    with pytest.raises(NotRecorded, match="activity log"), record(person_id=ada.pk, operation="S1"):
        sent.append(True)
    assert sent == []


def test_a_row_that_cannot_be_closed_does_not_undo_the_change(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    with record(person_id=ada.pk, operation="S1"):

        def full(*args: object, **kwargs: object) -> None:
            raise DatabaseError("disk full")

        monkeypatch.setattr(Entry, "save", full)
    assert Entry.objects.get().outcome == Outcome.OPEN


def test_it_refuses_to_stand_inside_a_transaction(ada: Person, transactional_db: None) -> None:
    from django.db import transaction

    with pytest.raises(RuntimeError), transaction.atomic(), record(person_id=ada.pk, operation="S1"):
        pass


def test_what_a_crash_left_open_counts_as_unknown(ada: Person) -> None:
    old = timezone.now() - timedelta(hours=1)
    left = Entry.objects.create(person=ada, operation="M6", started_at=old)
    upload = Entry.objects.create(person=ada, operation="S9", started_at=old)
    fresh = Entry.objects.create(person=ada, operation="M6")
    assert left.shown_outcome == Outcome.UNKNOWN
    assert upload.shown_outcome == fresh.shown_outcome == Outcome.OPEN
    assert list(Entry.objects.with_outcome(Outcome.UNKNOWN)) == [left]
    assert set(Entry.objects.with_outcome(Outcome.OPEN)) == {upload, fresh}


def test_a_digest_does_not_hold_the_secret() -> None:
    assert digest("hunter2").startswith("sha256:")
    assert "hunter2" not in digest("hunter2")
    assert digest("hunter2") == digest("hunter2") != digest("hunter3")


def test_facts_that_are_no_json_do_not_undo_the_change(ada: Person) -> None:
    with record(person_id=ada.pk, operation="S1", target="with \0 inside") as change:
        change.after = {"when": timezone.now(), "what": object()}
    assert Entry.objects.get().outcome == Outcome.OPEN
    with record(person_id=ada.pk, operation="S1") as change:
        change.after = {"when": timezone.now()}
    assert Entry.objects.latest("pk").outcome == Outcome.DONE


@pytest.mark.parametrize("writes", [False, True])
def test_a_read_that_fails_in_a_post_changed_nothing_unless_something_was_recorded(
    ada: Person, rf: RequestFactory, *, writes: bool
) -> None:
    request = rf.post("/")
    if writes:
        with lines_of(request), record(person_id=ada.pk, operation="S1"):
            pass
    problem = _problem(request, errors.Broken(operation="S2", service="storage"))
    assert problem
    assert ("Nothing was changed." in problem.result) is not writes
