"""Downloads: by a redirect to a short link, or through us."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.interfaces import StorageInterface
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.pages import PageClient


@pytest.mark.parametrize("key", ["a.txt", "deep/a b+c&d=e.txt", "what?.txt", "x;y,z:@$!'()*.txt"])
def test_it_leads_to_a_link_that_gives_the_bytes_under_the_name(desk: Desk, key: str) -> None:
    desk.put(key, body=b"the bytes")
    answer = desk.client.get(desk.address("download"), {"key": key})
    assert answer.status_code == 302
    assert answer["Cache-Control"] == "no-store"
    got = requests.get(answer["Location"], timeout=10)
    assert got.content == b"the bytes"
    assert got.headers["Content-Disposition"].startswith("attachment")


def test_the_link_leads_to_the_address_that_browsers_reach(desk: Desk, settings: Settings) -> None:
    desk.put("a.txt")
    settings.STORAGE_PUBLIC_URL = "https://files.example/{ref}/v1"
    location = desk.client.get(desk.address("download"), {"key": "a.txt"})["Location"]
    assert location.startswith(f"https://files.example/{desk.space}/v1/object/sign/")


@pytest.mark.parametrize("name", ["a?b", "c&d=e+f:g;h,i@j$ (1)!"])
def test_the_link_into_a_bucket_of_any_name_works(
    signed_in: PageClient, storage: StorageInterface, space: str, name: str
) -> None:
    storage.buckets.create(name)
    try:
        storage.objects.upload(name, "a b.txt", b"the bytes", content_type="text/plain")
        answer = signed_in.get(reverse("objects:download", args=[space, name]), {"key": "a b.txt"})
        assert requests.get(answer["Location"], timeout=10).content == b"the bytes"
    finally:
        storage.buckets.empty(name)
        storage.buckets.delete(name)


@pytest.mark.parametrize("verb", ["download", "document"])
def test_the_link_lives_a_minute(desk: Desk, verb: str) -> None:
    desk.put("a.pdf", content_type="application/pdf")
    location = desk.client.get(desk.address(verb), {"key": "a.pdf"})["Location"]
    (token,) = parse_qs(urlsplit(location).query)["token"]
    told = json.loads(urlsafe_b64decode(token.split(".")[1] + "=="))
    assert told["exp"] - told["iat"] == 60


def test_two_calls_are_enough_one_of_them_for_the_name(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt")
    before = len(calls())
    desk.client.get(desk.address("download"), {"key": "a.txt"})
    assert [call.split("/object/")[1].split("/")[0] for call in calls()[before:]] == ["info", "sign"]


def test_what_only_the_public_bucket_lets_a_token_read_comes_through_us(desk: Desk, owner: Person, service: Sandbox) -> None:
    desk.put("a.txt", body=b"the bytes")
    desk.storage.buckets.update(desk.bucket, public=True)
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    answer = desk.client.get(desk.address("download"), {"key": "a.txt"})
    assert answer.getvalue() == b"the bytes"
    assert answer["Content-Disposition"].startswith("attachment")


def test_what_is_gone_is_not_found(desk: Desk) -> None:
    assert desk.client.get(desk.address("download"), {"key": "gone.txt"}).status_code == 404
    assert desk.client.get(desk.address("download")).status_code == 404


class TestThroughUs:
    @pytest.fixture(autouse=True)
    def unreachable(self, service: Sandbox, settings: Settings) -> None:
        assert service.storage_url
        settings.STORAGE_PUBLIC_URL = "none"

    def test_the_bytes_come_as_a_file_to_save(self, desk: Desk) -> None:
        desk.put("dir/Page?.html", body=b"<script>1</script>", content_type="text/html")
        answer = desk.client.get(desk.address("download"), {"key": "dir/Page?.html"})
        assert answer.getvalue() == b"<script>1</script>"
        assert answer["Content-Length"] == "18"
        assert answer["Content-Disposition"] == 'attachment; filename="Page?.html"'
        assert answer["Content-Type"] == "application/octet-stream"
        assert "sandbox" in answer["Content-Security-Policy"]

    def test_ranges_and_conditions_are_honoured(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"0123456789")
        part = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers={"Range": "bytes=2-4"})
        assert (part.status_code, part.getvalue(), part["Content-Range"]) == (206, b"234", "bytes 2-4/10")
        known = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers={"If-None-Match": part["ETag"]})
        assert known.status_code == 304

    @pytest.mark.parametrize("mark", ["ETag", "Last-Modified"])
    def test_a_part_goes_on_only_with_the_object_it_began_with(self, desk: Desk, mark: str) -> None:
        desk.put("a.txt", body=b"0123456789")
        begun = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers={"Range": "bytes=0-4"})
        assert begun.getvalue() == b"01234"
        goes_on = {"Range": "bytes=5-", "If-Range": begun[mark]}
        rest = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers=goes_on)
        assert (rest.status_code, rest.getvalue()) == (206, b"56789")
        if mark == "Last-Modified":
            goes_on["If-Range"] = "Thu, 01 Jan 2026 00:00:00 GMT"
        desk.storage.objects.replace(desk.bucket, "a.txt", b"abcdefghij", content_type="text/plain")
        whole = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers=goes_on)
        assert (whole.status_code, whole.getvalue()) == (200, b"abcdefghij")
        assert "Content-Range" not in whole

    def test_a_weak_mark_never_lets_a_part_go_on(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"0123456789")
        tag = desk.client.head(desk.address("download"), {"key": "a.txt"})["ETag"]
        for known in (f"W/{tag}", "W/", "*", "nonsense"):
            goes_on = {"Range": "bytes=5-", "If-Range": known}
            whole = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers=goes_on)
            assert (whole.status_code, whole.getvalue()) == (200, b"0123456789")

    def test_a_range_beyond_the_end_says_how_long_the_object_is(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"0123456789")
        desk.put("empty.txt", body=b"")
        for key, asked, size in (("a.txt", "bytes=10-", 10), ("a.txt", "bytes=99-100", 10), ("empty.txt", "bytes=0-", 0)):
            beyond = desk.client.get(desk.address("download"), {"key": key}, headers={"Range": asked})
            assert (beyond.status_code, beyond["Content-Range"], beyond.content) == (416, f"bytes */{size}", b"")

    def test_a_range_beyond_the_end_of_a_changed_object_brings_it_whole(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"0123456789")
        tag = desk.client.head(desk.address("download"), {"key": "a.txt"})["ETag"]
        same = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers={"Range": "bytes=10-", "If-Range": tag})
        assert (same.status_code, same["Content-Range"]) == (416, "bytes */10")
        desk.storage.objects.replace(desk.bucket, "a.txt", b"short", content_type="text/plain")
        other = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers={"Range": "bytes=7-", "If-Range": tag})
        assert (other.status_code, other.getvalue()) == (200, b"short")

    @pytest.mark.parametrize("asked", ["bytes=0-1,3-4", "bytes=4-2", "lines=1-2", "bytes=", "bytes=-", "bytes=a-b", "nonsense"])
    def test_what_is_no_single_range_brings_the_whole(self, desk: Desk, asked: str) -> None:
        desk.put("a.txt", body=b"0123456789")
        answer = desk.client.get(desk.address("download"), {"key": "a.txt"}, headers={"Range": asked})
        assert (answer.status_code, answer.getvalue()) == (200, b"0123456789")

    def test_a_look_at_the_head_brings_no_bytes(self, desk: Desk) -> None:
        desk.put("a.txt", body=b"0123456789")
        answer = desk.client.head(desk.address("download"), {"key": "a.txt"})
        assert (answer.status_code, answer["Content-Length"], answer.content) == (200, "10", b"")
