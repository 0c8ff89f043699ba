"""The page of the root key, and the ways to get the key itself."""

import json
import secrets
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
import time_machine
from django.urls import reverse

from dashboard.features.encryption.rules import fingerprint
from dashboard.features.encryption.services import Revealed
from dashboard.journal.models import Entry
from dashboard.journal.recorder import digest
from dashboard.team.models import Person
from tests.features.encryption.desk import COMING, PAUSED, REF, Desk
from tests.features.service import FAILURES, Calls, Faults
from tests.pages import PageClient, htmx
from tests.people import client_of


@pytest.fixture
def shown() -> None:
    """In the tests that ask for it, an answer may hold the key."""
    PageClient.tokens = set()


def journaled() -> list[Entry]:
    return list(Entry.objects.filter(operation="M20").order_by("pk"))


def handed_out() -> object:
    [entry] = journaled()
    return (entry.after or {}).get("handed_out")


def test_the_page_has_a_fingerprint_and_no_key(desk: Desk, calls: Calls) -> None:
    page = desk.keeper.get(desk.address())
    wanted = sha256(desk.key().encode()).hexdigest()
    assert " ".join((wanted[:4], wanted[4:8], wanted[8:12], wanted[12:16])) in page.text
    assert desk.key() not in page.text
    assert wanted[:20] not in page.text
    assert journaled() == []


def test_the_page_asks_two_things(desk: Desk, calls: Calls) -> None:
    calls()
    desk.keeper.get(desk.address())
    assert sorted(calls()) == ["GET /v1/projects", f"GET /v1/projects/{REF}/pgsodium"]


def test_the_key_is_shown_once_and_hides_itself(desk: Desk, shown: None) -> None:
    answer = desk.keeper.send(desk.address("key"), "root-key")
    assert desk.key() in answer.text
    assert "delay:30s" in answer.text
    assert "no-store" in answer["Cache-Control"]
    hidden = desk.keeper.part(desk.address("key"), "root-key")
    assert desk.key() not in hidden.text
    assert "Show key" in hidden.text
    [entry] = journaled()
    assert (entry.place, entry.after) == (REF, {"root_key": digest(desk.key()), "handed_out": "shown"})


def test_hiding_asks_nothing_and_wants_no_fresh_sign_in(desk: Desk, owner: Person, calls: Calls) -> None:
    calls()
    assert "Show key" in client_of(owner).part(desk.address("key"), "root-key").text
    assert calls() == []


def test_it_is_copied_without_being_shown(desk: Desk, shown: None) -> None:
    answer = desk.keeper.send(f"{desk.address('key')}?as=copied", "root-key")
    assert f'data-copy="{desk.key()}"' in answer.text
    assert f">{desk.key()}" not in answer.text
    assert answer.text.count(desk.key()) == 1
    assert handed_out() == "copied"


def test_without_script_it_is_a_page(desk: Desk, shown: None) -> None:
    answer = desk.keeper.post(f"{desk.address('key')}?as=copied")
    assert desk.key() in answer.text
    assert "no-store" in answer["Cache-Control"]
    assert handed_out() == "shown"
    assert desk.keeper.get(desk.address("key"))["Location"] == desk.address()


def test_it_is_saved_as_a_text_file(desk: Desk) -> None:
    answer = desk.save()
    assert answer["Content-Disposition"] == f'attachment; filename="root-key-{REF}.txt"'
    assert "no-store" in answer["Cache-Control"]
    lines = answer.content.decode().splitlines()
    assert lines[-1] == desk.key()
    assert fingerprint(desk.key()) in answer.text
    assert "olga@example.org" in answer.text
    assert handed_out() == "saved as a file"


@pytest.mark.parametrize("view", ["key", "file", "replacement", "review"])
def test_nothing_is_handed_out_without_a_fresh_sign_in(desk: Desk, owner: Person, calls: Calls, view: str) -> None:
    address = desk.choose().wsgi_request.path if view == "review" else desk.address(view)
    before = journaled()
    calls()
    late = client_of(owner)
    assert late.post(address).status_code == 403
    answer = late.post(address, headers=htmx("root-key"))
    assert (answer.status_code, answer["HX-Retarget"]) == (403, "#dialog")
    assert calls() == []
    assert journaled() == before


def test_a_fresh_sign_in_runs_out(desk: Desk) -> None:
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=16)):
        assert desk.keeper.send(desk.address("key"), "root-key").status_code == 403
        assert desk.keeper.get(desk.address("replacement")).status_code == 302
    assert journaled() == []


def test_the_journal_never_has_the_key(desk: Desk, shown: None) -> None:
    desk.keeper.send(desk.address("key"), "root-key")
    desk.save()
    rows = json.dumps([[entry.target, entry.before, entry.after, entry.message] for entry in Entry.objects.all()])
    assert desk.key() not in rows
    assert desk.key() not in str(desk.keeper.session.items())
    assert secrets.token_hex(4) not in repr(Revealed(fingerprint="", key="canary"))
    assert "canary" not in repr(Revealed(fingerprint="", key="canary"))


def test_the_page_of_the_key_takes_no_post(desk: Desk) -> None:
    assert desk.keeper.post(desk.address()).status_code == 405


def test_a_file_is_never_made_by_a_link(desk: Desk) -> None:
    assert desk.keeper.get(desk.address("file")).status_code == 405


@pytest.mark.parametrize("failure", FAILURES)
def test_it_says_how_the_service_failed(desk: Desk, faults: Faults, failure: str) -> None:
    fault, status, words = FAILURES[failure]
    faults("M20", **fault)
    for answer, expected in ((desk.keeper.get(desk.address()), status), (desk.keeper.send(desk.address("key"), "root-key"), 422)):
        assert answer.status_code == expected
        assert words in answer.text


def test_a_paused_project_says_so(desk: Desk) -> None:
    answer = desk.keeper.get(reverse("encryption:index", args=[PAUSED]))
    assert answer.status_code == 200
    assert "The project is paused" in answer.text
    assert "The project is coming up" in desk.keeper.get(reverse("encryption:index", args=[COMING])).text


def test_a_project_that_is_not_there_is_not_found(desk: Desk) -> None:
    assert desk.keeper.get(reverse("encryption:index", args=["aaaaaaaaaaaaaaaaaaaa"])).status_code == 404


def test_the_name_of_the_project_is_not_worth_a_failure(desk: Desk, faults: Faults) -> None:
    faults("M1", status=500)
    assert REF in desk.keeper.get(desk.address()).text
