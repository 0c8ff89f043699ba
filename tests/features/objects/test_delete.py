"""Deleting objects."""

import json

import pytest
from django.urls import reverse

from dashboard.journal.models import Entry
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.team.models import Person, Role
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.web.pages.confirm import PRODUCTION, UNTICKED
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.pages import kept

DIALOG = {"HX-Request": "true", "HX-Target": "dialog"}


def one(desk: Desk, key: str) -> str:
    return reverse("objects:deletion", kwargs={"space": desk.space, "bucket": desk.bucket}, query={"key": key})


def test_one_object_goes_after_one_question_that_names_it(desk: Desk) -> None:
    desk.put("dir/a?.txt", "dir/b.txt")
    asked = desk.client.get(one(desk, "dir/a?.txt"))
    assert "Delete a?.txt" in asked.text
    assert desk.names("dir") == ["a?.txt", "b.txt"]
    answer = desk.client.post(one(desk, "dir/a?.txt"), follow=True)
    assert "a?.txt deleted" in answer.text
    assert desk.names("dir") == ["b.txt"]


def test_htmx_hears_that_the_list_changed(desk: Desk) -> None:
    desk.put("a.txt")
    answer = desk.client.post(one(desk, "a.txt"), headers=DIALOG)
    assert json.loads(answer["HX-Trigger"])["objects:changed"] is True


def test_what_is_gone_already_is_said_at_the_question(desk: Desk) -> None:
    answer = desk.client.post(one(desk, "gone.txt"))
    assert answer.status_code == 422
    assert "no such item" in answer.text


def test_a_refused_deletion_is_not_told_as_a_fact(desk: Desk) -> None:
    """Above "gone.txt is deleted" it is said that this is what another try does."""
    assert "If you try again:" not in desk.client.get(one(desk, "gone.txt")).text
    before, _, after = desk.client.post(one(desk, "gone.txt")).text.partition("If you try again:")
    assert "no such item" in before
    assert "is deleted from" in after


@pytest.mark.parametrize("counted", ["", "many", "-1", "9" * 40])
def test_a_selection_that_nobody_counted_has_no_size(desk: Desk, counted: str) -> None:
    desk.put("a.txt")
    answer = desk.client.get(kept(desk.client, desk.address("selection"), key=["a.txt"], bytes=counted))
    assert answer.status_code == 200
    assert "a.txt is deleted" in answer.text


def test_a_few_objects_go_after_one_confirming_click(desk: Desk) -> None:
    desk.put("a.txt", "b c.txt", "keep.txt")
    here = kept(desk.client, desk.address("selection"), key=["a.txt", "b c.txt"], bytes="2048")
    asked = desk.client.get(here)
    assert "Delete 2 objects" in asked.text
    assert "b c.txt" in asked.text
    assert "2.0 KB" in asked.text
    assert 'name="typed"' not in asked.text
    assert len(desk.names()) == 3
    done = desk.client.post(here, {"count": "2"}, follow=True)
    assert "2 objects deleted" in done.text
    assert desk.names() == ["keep.txt"]


def test_twenty_objects_go_after_their_number_was_typed(desk: Desk) -> None:
    keys = [f"{number:02}.txt" for number in range(20)]
    desk.put(*keys)
    here = kept(desk.client, desk.address("selection"), key=keys)
    assert 'name="typed"' in desk.client.get(here).text
    for typed in ("", "19", "twenty"):
        refused = desk.client.post(here, {"count": "20", "typed": typed})
        assert refused.status_code == 422
        assert "Nothing was changed" in refused.text
    assert len(desk.names()) == 20
    done = desk.client.post(here, {"count": "20", "typed": "20"}, follow=True)
    assert "20 objects deleted" in done.text
    assert desk.names() == []


def test_a_number_that_is_not_the_one_shown_deletes_nothing(desk: Desk) -> None:
    desk.put("a.txt", "b.txt")
    here = kept(desk.client, desk.address("selection"), key=["a.txt", "b.txt"])
    for shown in ({}, {"count": "1"}):
        refused = desk.client.post(here, shown)
        assert refused.status_code == 409
        assert "The number changed" in refused.text
    assert desk.names() == ["a.txt", "b.txt"]


def test_a_selection_of_a_production_project_asks_for_the_tick(desk: Desk, owner: Person) -> None:
    owner.role = Role.OWNER
    set_label(owner, desk.space, ProjectLabel(production=True), project=desk.space)
    desk.put("a.txt")
    here = kept(desk.client, desk.address("selection"), key=["a.txt"])
    assert PRODUCTION in desk.client.get(here).text
    refused = desk.client.post(here, {"count": "1"})
    assert refused.status_code == 422
    assert UNTICKED in refused.text
    assert desk.names() == ["a.txt"]
    desk.client.post(here, {"count": "1", "production": "on"})
    assert desk.names() == []


def test_those_that_were_not_deleted_are_listed(desk: Desk) -> None:
    desk.put("a.txt")
    answer = desk.client.post(kept(desk.client, desk.address("selection"), key=["a.txt", "gone.txt"]), {"count": "2"})
    assert "1 of 2 deleted" in answer.text
    assert "gone.txt" in answer.text
    assert answer["HX-Trigger"] == "objects:changed"
    assert Entry.objects.latest("pk").after == {"deleted": 1, "left": ["gone.txt"]}


def test_a_token_that_may_not_delete_is_not_believed_to_have_deleted(desk: Desk, owner: Person, service: Sandbox) -> None:
    desk.put("a.txt")
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    answer = desk.client.post(kept(desk.client, desk.address("selection"), key=["a.txt"]), {"count": "1"})
    assert "0 of 1 deleted" in answer.text
    assert desk.names() == ["a.txt"]


def test_nothing_and_too_much_are_refused(desk: Desk) -> None:
    assert desk.client.post(desk.address("selection")).status_code == 422
    many = [str(number) for number in range(1001)]
    answer = desk.client.post(desk.address("selection"), {"key": many})
    assert (answer.status_code, answer["Location"].endswith("~bulk/deletion/")) == (307, True), answer["Location"]
    assert desk.client.post(f"{desk.address('selection')}?folder=a/", {"typed": "1"}).status_code == 422


def test_without_a_key_there_is_nothing_to_delete(desk: Desk) -> None:
    assert desk.client.get(desk.address("deletion")).status_code == 404
