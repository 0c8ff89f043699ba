"""A note per function, for the whole team."""

import re

from dashboard.features.functions.models import Note
from dashboard.journal.models import Entry
from dashboard.team.models import Person
from tests.conftest import Sandbox
from tests.features.functions.desk import REF, Desk
from tests.pages import PageClient
from tests.people import client_of, hold

SEEN = re.compile(r'name="seen" value="(\w+)"')


def test_a_note_is_seen_by_the_team_with_who_wrote_it_and_when(
    as_keeper: PageClient, owner: Person, ada: Person, service: Sandbox, desk: Desk
) -> None:
    slug = desk.put()
    assert as_keeper.send(desk.address("note", slug), note="Ask Ada before you change it.").status_code == 200
    hold(ada, service.personal_token)
    for page in (client_of(ada).get(desk.address("show", slug)).text, client_of(ada).get(desk.address("index")).text):
        assert "Ask Ada before you change it." in page
    shown = client_of(ada).get(desk.address("show", slug)).text
    assert str(owner) in shown
    assert "just now" in shown


def test_every_change_of_a_note_is_journaled(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    for text in ("first", "second", "second", ""):
        as_keeper.post(desk.address("note", slug), {"note": text})
    entries = Entry.objects.filter(operation="function note changed").order_by("pk")
    assert [(entry.before, entry.after) for entry in entries] == [
        (None, {"note": "first"}),
        ({"note": "first"}, {"note": "second"}),
        ({"note": "second"}, None),
    ]
    assert {(entry.place, entry.target) for entry in entries} == {(REF, f"note of function {slug}")}
    assert not Note.objects.exists()


def test_a_note_saved_meanwhile_is_not_overwritten_unseen(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    address = desk.address("note", slug)
    [before] = SEEN.findall(as_keeper.part(address, "dialog").text)
    as_keeper.send(address, note="Ask Ada.", seen=before)
    answer = as_keeper.send(address, note="Mine", seen=before)
    assert answer.status_code == 409
    assert "It is now “Ask Ada.”." in answer.text
    assert Note.objects.get().text == "Ask Ada."
    [now] = SEEN.findall(answer.text)
    as_keeper.send(address, note="Mine", seen=now)
    assert Note.objects.get().text == "Mine"


def test_a_note_needs_a_function_that_the_person_can_read(as_keeper: PageClient, as_ada: PageClient, desk: Desk) -> None:
    assert as_keeper.post(desk.address("note", "no-such-function"), {"note": "x"}).status_code == 404
    slug = desk.put()
    as_ada.post(desk.address("note", slug), {"note": "sneaky"})
    assert not Note.objects.exists()
