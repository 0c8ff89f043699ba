"""A key that may add objects but sees none: what it doesn't find proves nothing."""

from datetime import timedelta
from typing import Any

import pytest

from dashboard.jobs import settlement_queue
from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.lost import Lost, lost
from tests.features.objects.conftest import Desk
from tests.features.objects.test_upload import check, put, sent

__all__ = ["lost"]


@pytest.fixture
def blind(desk: Desk, owner: Person, service: Sandbox) -> Desk:
    """The owner with a key that may only add objects."""
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["inbox"])
    return desk


@pytest.fixture
def partial(desk: Desk, owner: Person, service: Sandbox) -> Desk:
    """The owner with a key that sees objects by row policies."""
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["objects"])
    return desk


def test_an_upload_is_stored_though_the_key_cannot_read_it_back(blind: Desk) -> None:
    answer = put(blind, "in/a.txt", b"hello")
    assert answer.status_code == 200, answer.text
    assert blind.bytes_of("in/a.txt") == b"hello"
    assert check(blind, sent("in/a.txt", 5))["verdicts"] == {"in/a.txt": "unseen"}
    assert Entry.objects.get(operation="S9").outcome == Outcome.DONE


def test_what_a_key_that_sees_the_folder_does_not_find_is_missing(partial: Desk) -> None:
    partial.put("in/other.txt")
    receipts = [sent("in/gone.txt", 5), sent("empty/gone.txt", 5)]
    assert check(partial, *receipts)["verdicts"] == {"in/gone.txt": "missing", "empty/gone.txt": "unseen"}


def test_a_service_key_finds_everything_there_is(desk: Desk) -> None:
    assert check(desk, sent("in/gone.txt", 5))["verdicts"] == {"in/gone.txt": "missing"}


def test_an_upload_without_an_answer_is_never_called_not_applied(blind: Desk, lost: Lost) -> None:
    lost.never_applied("S9")
    assert put(blind, "in/a.txt").status_code >= 500
    lost.clear()
    lost.pass_time(timedelta(hours=1))
    assert Entry.objects.get(operation="S9").outcome == Outcome.UNKNOWN


WANTED: dict[str, dict[str, Any]] = {
    "S1": {"name": "{bucket}", "public": False},
    "S3": {"bucket": "{bucket}"},
    "S5": {"name": "{bucket}", "public": False},
    "S6": {"name": "{bucket}"},
    "S7": {"bucket": "{bucket}", "keys": ["in/a.txt"]},
    "S8": {"bucket": "{bucket}", "keys": ["in/a.txt", "in/b.txt"]},
    "S9": {"bucket": "{bucket}", "type": "text/plain", "replaces": False, "receipt": {"key": "in/a.txt", "size": 5}},
    "S10": {"bucket": "{bucket}", "type": "text/plain", "replaces": True, "receipt": {"key": "in/a.txt", "size": 5}},
    "S11": {"bucket": "{bucket}", "key": "in/a.txt", "to": "in/b.txt"},
}


def test_every_write_of_the_storage_that_is_read_back_is_tried_here() -> None:
    assert {operation for operation in settlement_queue.operations() if operation.startswith("S")} == WANTED.keys()


@pytest.mark.parametrize("operation", WANTED)
def test_reading_back_proves_nothing(blind: Desk, owner: Person, operation: str) -> None:
    blind.put("in/a.txt", body=b"hello")
    wanted = {name: blind.bucket if value == "{bucket}" else value for name, value in WANTED[operation].items()}
    rule = settlement_queue.rule_of(operation)
    assert rule.shows(rule.read(Workspace(owner), blind.space, wanted), wanted) is None
