"""Revoking many links at once, and restoring them together."""

import re
from html import unescape
from typing import Any

import pytest

from dashboard.journal.models import Entry
from dashboard.links import lifecycle
from dashboard.links.models import Share
from dashboard.team.models import Person
from tests.features.sharing.conftest import Desk
from tests.pages import PageClient

END = "/links/ending/"


def of(client: PageClient, **fields: Any) -> str:
    """The address of the question for a posted selection."""
    answer = client.post(END, fields)
    assert answer.status_code == 303, answer.text
    return str(answer["Location"])


def hidden(answer: Any) -> dict[str, str]:
    """The hidden fields of the question."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.text)
    return {name: unescape(value) for name, value in found if name != "csrfmiddlewaretoken"}


def live() -> int:
    return Share.objects.current().count()


def undo_of(answer: Any) -> str:
    found = re.search(r'hx-post="(/links/reopening/[^"]+)"', answer.text)
    assert found, answer.text
    return unescape(found[1])


def test_a_selection_is_ended_after_one_question_and_opened_again_from_the_notice(desk: Desk) -> None:
    ids = [desk.share(f"{number}.txt")[0].pk for number in range(3)]
    here = of(desk.client, key=[ids[0], ids[1]])
    asked = desk.client.get(here)
    assert "Revoke 2 links" in asked.text
    assert live() == 3
    done = desk.client.send(here, **hidden(asked))
    assert "links:changed" in done["HX-Trigger"]
    assert "2 links revoked" in done.text
    assert live() == 1
    again = desk.client.send(undo_of(done))
    assert "2 links restored" in again.text
    assert live() == 3
    entries = Entry.objects.filter(operation__startswith="links ").order_by("pk")
    assert [(entry.operation, entry.target) for entry in entries] == [
        ("links revoked", "2 share links"),
        ("links reopened", "2 share links"),
    ]
    assert sorted((entries[0].after or {})["links"]) == sorted(ids[:2])


def test_many_have_to_be_typed_as_a_number(desk: Desk) -> None:
    for number in range(12):
        desk.share(f"{number}.txt")
    here = f"{END}?all=1"
    asked = desk.client.get(here)
    assert "Type <strong" in asked.text
    fields = hidden(asked)
    assert desk.client.send(here, **fields).status_code == 422
    assert desk.client.send(here, **fields, typed="11").status_code == 422
    assert live() == 12
    assert "12 links revoked" in desk.client.send(here, **hidden(asked), typed="12").text
    assert live() == 0


def test_a_number_that_changed_meanwhile_ends_nothing(desk: Desk) -> None:
    for number in range(3):
        desk.share(f"{number}.txt")
    fields = hidden(desk.client.get(f"{END}?all=1"))
    desk.share("new.txt")
    answer = desk.client.send(f"{END}?all=1", **fields)
    assert (answer.status_code, live()) == (409, 4)
    assert "changed from 3 to 4" in answer.text


def test_all_by_a_person_and_all_that_match(desk: Desk, ada: Person) -> None:
    for number in range(4):
        share, _ = desk.share(f"{number}.txt", note="match" if number == 3 else "")
        if number < 2:
            Share.objects.filter(pk=share.pk).update(owner=ada)
    ledger = desk.client.get("/links/", {"person": str(ada.pk)})
    assert f"{END}?all=1&amp;person={ada.pk}" in ledger.text
    assert "Revoke all links of Ada Member" in ledger.text
    asked = desk.client.get(END, {"all": "1", "person": str(ada.pk)})
    assert "Revoke 2 links" in asked.text
    desk.client.post(f"{END}?all=1&person={ada.pk}", hidden(asked))
    assert set(Share.objects.current().values_list("owner__name", flat=True)) == {"Olga Owner"}
    here = of(desk.client, all="1", q="match")
    asked = desk.client.get(here)
    assert "Revoke 1 link<" in asked.text
    desk.client.post(here, hidden(asked))
    assert live() == 1


def test_only_what_is_live_is_touched(desk: Desk) -> None:
    ended, _ = desk.share("a.txt")
    lifecycle.revoke(desk.person, Share.objects.filter(pk=ended.pk))
    moment = Share.objects.get(pk=ended.pk).revoked_at
    asked = desk.client.get(END, {"key": str(ended.pk)})
    assert "No active links" in asked.text
    assert Share.objects.get(pk=ended.pk).revoked_at == moment


@pytest.mark.parametrize("key", ["", "x", "9999999999999999999999"])
def test_a_choice_that_can_not_be_read_is_none(desk: Desk, key: str) -> None:
    desk.share("a.txt")
    assert "No active links" in desk.client.get(of(desk.client, key=key)).text
    assert desk.client.get(END, {"selection": "nonsense"}).status_code == 404
    assert live() == 1


@pytest.mark.parametrize("at", ["", "nonsense", "2026-01-01", "2026-01-01T00:00:00"])
def test_there_may_be_nothing_to_open_again(desk: Desk, at: str) -> None:
    share, _ = desk.share("a.txt")
    lifecycle.revoke(desk.person, Share.objects.filter(pk=share.pk))
    assert desk.client.post(f"/links/reopening/?at={at}").status_code == 303
    assert live() == 0


class TestOthers:
    def test_a_member_ends_only_the_own(self, desk: Desk, ada: Person, as_ada: PageClient) -> None:
        share, _ = desk.share("a.txt")
        assert ada.pk != share.owner_id
        for query in ({"key": str(share.pk)}, {"all": "1"}, {"all": "1", "person": str(share.owner_id)}):
            assert "No active links" in as_ada.get(END, query).text
        as_ada.post(of(as_ada, key=str(share.pk)), {"count": "1"})
        assert live() == 1

    def test_a_member_does_not_open_again_what_an_owner_ended(self, desk: Desk, ada: Person, as_ada: PageClient) -> None:
        desk.share("a.txt")
        Share.objects.update(owner=ada)
        done = desk.client.send(f"{END}?all=1", **hidden(desk.client.get(f"{END}?all=1")))
        as_ada.post(undo_of(done))
        as_ada.post(f"/links/{Share.objects.get().pk}/reopening/")
        assert live() == 0
