"""What anybody sees of an object without a token (S20, S21)."""

import pytest
from requests.adapters import HTTPAdapter

from tests.features.objects.conftest import Desk
from tests.features.service import Faults
from tests.pages import htmx


def words(desk: Desk, key: str) -> str:
    return desk.client.get(desk.address("publicity"), {"key": key}, headers=htmx("dialog")).text


def test_a_private_bucket_is_private(desk: Desk) -> None:
    desk.put("a.txt")
    assert "the service refused this file" in words(desk, "a.txt")


def test_a_public_one_hands_out_bytes_and_details(desk: Desk) -> None:
    desk.put("a.txt", "empty.txt", body=b"")
    desk.storage.buckets.update(desk.bucket, public=True)
    for key in ("a.txt", "empty.txt"):
        assert "the service returned this file" in words(desk, key)


def test_what_is_gone_is_not_reached(desk: Desk) -> None:
    desk.storage.buckets.update(desk.bucket, public=True)
    assert "Public, but not reachable" in words(desk, "gone.txt")


def test_no_answer_is_neither_yes_nor_no(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt")
    faults("S20", status=500)
    told = words(desk, "a.txt")
    assert "Unknown" in told
    assert "Nobody can read it" not in told


def test_no_token_is_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("a.txt")
    sent: list[tuple[str, str]] = []
    original = HTTPAdapter.send

    def watched(self: HTTPAdapter, request: object, *args: object, **kwargs: object) -> object:
        sent.append((request.path_url, str(request.headers)))  # type: ignore[attr-defined] # a PreparedRequest
        return original(self, request, *args, **kwargs)  # type: ignore[arg-type] # passed on as it came

    monkeypatch.setattr(HTTPAdapter, "send", watched)
    words(desk, "a.txt")
    public = [one for one in sent if "/public/" in one[0]]
    assert len(public) == 2
    assert not any("uthorization" in address + headers for address, headers in public)
