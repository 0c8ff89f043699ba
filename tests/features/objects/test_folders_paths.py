"""Going to a path, by typing it or by pasting an address."""

from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from dashboard.features.objects.services.folders import is_address
from tests.features.objects.conftest import Desk
from tests.pages import htmx


@pytest.mark.parametrize(
    ("typed", "leads"),
    [
        ("", ""),
        ("a b/", "?path=a+b%2F"),
        ("/a b/", "?path=a+b%2F"),
        ("a b", "?path=a+b%2F"),
        ("a b/c+d.txt", "?path=a+b%2F&open=a+b%2Fc%2Bd.txt"),
    ],
)
def test_a_typed_path_leads_to_the_folder_or_the_object(desk: Desk, typed: str, leads: str) -> None:
    desk.put("a b/c+d.txt")
    answer = desk.client.post(desk.address("going"), {"path": typed})
    assert (answer.status_code, answer["Location"]) == (302, desk.address() + leads)


def test_where_nothing_is_it_says_so_and_keeps_what_was_typed(desk: Desk) -> None:
    answer = _post(desk, "going", "path-form", "no such thing")
    assert answer.status_code == 422
    assert "Nothing found." in answer.text
    assert 'value="no such thing"' in answer.text


def test_htmx_fills_the_browser_alone(desk: Desk) -> None:
    desk.put("a/b.txt")
    answer = _post(desk, "going", "path-form", "a/")
    assert '"target": "#objects"' in answer["HX-Location"]


@pytest.mark.parametrize("way", ["public", "authenticated", "sign", "info", "info/public"])
def test_an_address_of_this_storage_leads_to_its_object(desk: Desk, way: str) -> None:
    address = f"{_storage(desk)}/object/{way}/{desk.bucket.replace(' ', '%20')}/a%20b/c%2Bd.txt?token=ey.secret.x"
    answer = desk.client.post(desk.address("going"), {"path": f" {address}\n"})
    assert answer["Location"] == f"{desk.address()}?path=a+b%2F&open=a+b%2Fc%2Bd.txt"
    assert "secret" not in answer["Location"]


def test_a_signed_address_leads_to_its_object(desk: Desk) -> None:
    desk.put("a b/c+d.txt")
    link = desk.storage.signing.sign(desk.bucket, "a b/c+d.txt", expires_in=60)
    for pasted in (link.path, link.address(_storage(desk), download=True)):
        answer = desk.client.post(desk.address("going"), {"path": pasted})
        assert answer["Location"] == f"{desk.address()}?path=a+b%2F&open=a+b%2Fc%2Bd.txt"


def test_an_address_in_another_bucket_of_the_storage_goes_there(desk: Desk) -> None:
    address = f"{_storage(desk)}/object/public/other/x.txt"
    answer = _post(desk, "going", "path-form", address)
    other = reverse("objects:index", kwargs={"space": desk.space, "bucket": "other"})
    assert answer["HX-Redirect"] == f"{other}?open=x.txt"


@pytest.mark.parametrize(
    "address",
    [
        "https://elsewhere.example/object/public/a/b.txt",
        "https://elsewhere.example/",
        "/object/",
        "https://[broken",
        "/object/public/../x",
    ],
)
def test_an_address_of_somebody_else_is_refused(desk: Desk, address: str) -> None:
    answer = desk.client.post(desk.address("going"), {"path": address})
    assert answer.status_code == 422
    assert "No object of this storage has this address" in answer.text


def test_what_is_typed_is_completed_folders_first(desk: Desk) -> None:
    desk.put("photos/a.png", "photos/album/b.png", "phone.txt", "zeta.txt")
    desk.put("photos/.emptyFolderPlaceholder", body=b"")
    assert _offered(desk, "ph") == ["photos/", "phone.txt"]
    assert _offered(desk, "photos/") == ["photos/album/", "photos/a.png"]
    assert _offered(desk, "photos/al") == ["photos/album/"]
    assert _offered(desk, "https://x.example/?token=secret") == []


def _post(desk: Desk, verb: str, target: str, path: str) -> Any:
    return desk.client.post(desk.address(verb), {"path": path}, headers=htmx(target))


def _storage(desk: Desk) -> str:
    return str(settings.STORAGE_PUBLIC_URL).replace("{ref}", desk.space)


def _offered(desk: Desk, typed: str) -> list[str]:
    answer = _post(desk, "paths", "path-offers", typed).text
    return [part.split('"')[0] for part in answer.split('<option value="')[1:]]


def test_an_address_is_told_from_a_path() -> None:
    assert is_address(" https://a.example/object/sign/b/c?token=x")
    assert is_address("/object/sign/b/c?token=x")
    assert not is_address("object/sign/b")


def test_the_keys_are_listed(desk: Desk) -> None:
    assert "Folder above" in desk.client.get("/search/keys/").text
    assert "Folder above" in desk.client.part("/search/keys/", "dialog").text
