"""New folders."""

import json

import pytest

from tests.features.objects.conftest import Desk


def test_a_folder_is_kept_by_an_empty_object(desk: Desk) -> None:
    asked = desk.client.get(desk.address("folder"), {"path": "a/"})
    assert "New folder" in asked.text
    answer = desk.client.post(desk.address("folder"), {"path": "a/", "name": "b c/d"}, follow=True)
    assert "This folder is empty" in answer.text
    assert desk.names("a/b c/d") == [".emptyFolderPlaceholder"]


def test_htmx_hears_that_the_list_changed(desk: Desk) -> None:
    headers = {"HX-Request": "true", "HX-Target": "dialog"}
    answer = desk.client.post(desk.address("folder"), {"path": "", "name": "new"}, headers=headers)
    assert json.loads(answer["HX-Trigger"])["objects:changed"] is True


def test_a_folder_that_is_kept_already_is_said_to_be(desk: Desk) -> None:
    desk.client.post(desk.address("folder"), {"path": "", "name": "twice"})
    again = desk.client.post(desk.address("folder"), {"path": "", "name": "twice"})
    assert again.status_code == 422
    assert "already exists" in again.text


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "required"), ("/", "Enter a name"), ("Übung", "Ubung"), ("..", "between its slashes"), ("a#b", "a-b")],
)
def test_a_bad_name_is_a_sentence_at_the_field(desk: Desk, name: str, words: str) -> None:
    answer = desk.client.post(desk.address("folder"), {"path": "", "name": name})
    assert answer.status_code == 422
    assert words in answer.text
    assert desk.names() == []
