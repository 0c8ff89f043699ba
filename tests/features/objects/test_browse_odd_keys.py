"""Objects whose keys nothing can be stored under any more are opened like others."""

import pytest

from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.odd_keys import LONG, put_odd


@pytest.fixture
def odd(desk: Desk, service: Sandbox) -> list[str]:
    return put_odd(desk.storage, desk.bucket, service.storage(desk.space), service.storage_tokens[desk.space]["service"])


def test_they_are_listed_where_they_are(desk: Desk, odd: list[str]) -> None:
    del odd
    root = desk.client.get(desk.address()).text
    assert 'href="?path=%2F"' in root
    assert 'name="folder" value="/"' in root
    inside = desk.client.get(desk.address(), {"path": "/"}).text
    assert 'name="key" value="/lead.txt"' in inside
    assert 'href="?path=%2F%2F"' in inside
    assert 'name="folder" value="//two/"' in desk.client.get(desk.address(), {"path": "//"}).text
    assert 'name="key" value="full/.emptyFolderPlaceholder"' in desk.client.get(desk.address(), {"path": "full/"}).text
    assert f'name="key" value="long/{LONG}"' in desk.client.get(desk.address(), {"path": "long/"}).text


def test_each_can_be_opened_and_downloaded(desk: Desk, odd: list[str]) -> None:
    for key in odd:
        head, slash, _ = key.rpartition("/")
        panel = desk.client.get(desk.address(), {"path": head + slash, "open": key})
        assert panel.status_code == 200
        assert "deleted or moved" not in panel.text, key
        assert desk.client.get(desk.address("download"), {"key": key}).status_code == 302, key


def test_a_typed_path_finds_a_key_that_begins_with_a_slash_and_one_that_does_not(desk: Desk, odd: list[str]) -> None:
    del odd
    desk.put("plain.txt")
    for typed, key in (("/lead.txt", "%2Flead.txt"), ("/plain.txt", "plain.txt")):
        answer = desk.client.post(desk.address("going"), {"path": typed})
        assert f"open={key}" in answer["Location"], typed
