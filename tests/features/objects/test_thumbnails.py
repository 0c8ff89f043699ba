"""The grid: pictures at addresses that are signed for a person and their token."""

import re
from html import unescape
from io import BytesIO

import pytest
from PIL import Image

from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.viewer import thumbnails
from dashboard.viewer.pictures import Renderings
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.service import Faults
from tests.pages import PageClient


def put_picture(desk: Desk, key: str, colour: str = "red") -> None:
    out = BytesIO()
    Image.new("RGB", (64, 48), colour).save(out, "PNG")
    desk.storage.objects.replace(desk.bucket, key, out.getvalue(), content_type="image/png")


def address_of(desk: Desk) -> str:
    found = re.search(r'objects__picture" data-src="([^"]+)"', desk.client.get(desk.address(), {"view": "grid"}).text)
    assert found
    return unescape(found[1])


@pytest.fixture
def desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(thumbnails, "renderings", Renderings())
    put_picture(desk, "a.png")
    return desk


def test_a_list_and_a_grid_show_pictures(desk: Desk) -> None:
    desk.put("b.txt")
    for view in ("list", "grid"):
        assert desk.client.get(desk.address(), {"view": view}).text.count("<img") == 1
    answer = desk.client.get(address_of(desk))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
    assert Image.open(BytesIO(answer.content)).size == (64, 48)
    assert answer["Content-Security-Policy"].startswith("default-src 'none'")
    assert re.fullmatch(r"private, max-age=\d{1,3}", answer["Cache-Control"])


def test_a_picture_comes_from_the_cache_until_its_object_changes(desk: Desk) -> None:
    first = address_of(desk)
    red = desk.client.get(first).content
    put_picture(desk, "a.png", "blue")
    assert desk.client.get(first).content == red
    second = address_of(desk)
    assert second != first
    assert desk.client.get(second).content != red


def test_the_picture_of_a_replaced_object_is_not_made_for_the_old_address(desk: Desk) -> None:
    before = address_of(desk)
    put_picture(desk, "a.png", "blue")
    assert desk.client.get(before).status_code == 204


def test_an_address_is_refused_to_others_when_changed_and_when_expired(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, service: Sandbox
) -> None:
    address = address_of(desk)
    assert desk.client.get(address.replace("a.png", "b.png")).status_code == 404
    assert desk.client.get(re.sub(r"until=\d+", "until=9999999999", address)).status_code == 404
    other = Person.objects.create(email="other@example.org")
    store(other, Kind.MANAGEMENT, "", service.personal_token)
    store(other, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["service"])
    stranger = PageClient()
    stranger.force_login(other)
    assert stranger.get(address).status_code == 404
    monkeypatch.setattr(thumbnails, "STEP_SECONDS", -600)
    assert desk.client.get(address_of(desk)).status_code == 404


def test_a_picture_that_can_not_be_read_now_is_none(desk: Desk, faults: Faults) -> None:
    address = address_of(desk)
    faults("S18", status=503)
    assert desk.client.get(address).status_code == 204


def test_no_picture_outlives_the_token_that_saw_it(desk: Desk, owner: Person, service: Sandbox) -> None:
    address = address_of(desk)
    assert desk.client.get(address).status_code == 200
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    assert desk.client.get(address).status_code == 404


def test_a_disguised_file_is_not_shown(desk: Desk) -> None:
    desk.storage.objects.replace(desk.bucket, "a.png", b"<svg onload='alert(1)'/>", content_type="image/png")
    answer = desk.client.get(address_of(desk))
    assert (answer.status_code, answer.content) == (204, b"")
