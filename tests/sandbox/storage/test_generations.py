"""A storage service as old as the document, and one whose listings are capped."""

from collections.abc import Iterator

import pytest

from tests.conftest import stop_sandbox
from tests.environment import RUN_DIR
from tests.sandbox.storage.asking import Space
from tests.sandbox.storage.conftest import open_space

BUCKET = {"id", "name", "owner", "public", "created_at", "updated_at"}
OBJECT = {"name", "bucket_id", "owner", "id", "updated_at", "created_at", "last_accessed_at", "metadata"}


@pytest.fixture(scope="module")
def old() -> Iterator[Space]:
    opened = open_space(RUN_DIR / "old", "--generation", "document")
    opened.create("photos", file_size_limit=1, allowed_mime_types=["image/png"])
    opened.create("other")
    yield opened
    stop_sandbox(opened.sandbox)


def post(space: Space, key: str, **headers: str) -> object:
    return space.call("POST", f"/object/photos/{key}", data=b"hello", Content_Type="text/plain", **headers).json()


def test_a_bucket_has_no_limits(old: Space) -> None:
    assert old.call("PUT", "/bucket/photos", data={"public": False, "file_size_limit": 2}).status == 200
    for path in ("/bucket/photos", "/bucket/"):
        found = old.call("GET", path).json()
        for record in found if isinstance(found, list) else [found]:
            assert set(record) == BUCKET
            assert record["created_at"].endswith("000+00:00")
    assert post(old, "large.txt") == {"Key": "photos/large.txt"}


def test_objects_have_the_members_of_the_document(old: Space) -> None:
    post(old, "members/a.txt")
    assert {tuple(sorted(row)) for row in old.rows("photos", "members")} == {tuple(sorted(OBJECT - {"bucket_id", "owner"}))}
    (gone,) = old.call("DELETE", "/object/photos", data={"prefixes": ["members/a.txt"]}).json()
    assert set(gone) == OBJECT


def test_folders_come_first(old: Space) -> None:
    for key in ("order/a.txt", "order/m/x.txt", "order/z.txt"):
        post(old, key)
    assert [row["name"] for row in old.rows("photos", "order")] == ["m", "a.txt", "z.txt"]
    assert [row["name"] for row in old.rows("photos", "order", limit=2, offset=1)] == ["a.txt", "z.txt"]


def test_replacing_creates_nothing(old: Space) -> None:
    missing = old.call("PUT", "/object/photos/not/there.txt", data=b"x", Content_Type="text/plain")
    assert missing.json() == {"statusCode": "404", "error": "Not found", "message": "The resource was not found"}
    assert post(old, "up.txt", x_upsert="true") == post(old, "up.txt", x_upsert="true") == {"Key": "photos/up.txt"}
    assert old.call("PUT", "/object/photos/up.txt", data=b"y", Content_Type="text/plain").json() == {"Key": "photos/up.txt"}


def test_another_bucket_is_passed_over_in_silence(old: Space) -> None:
    post(old, "here.txt")
    pair = {"bucketId": "photos", "sourceKey": "here.txt", "destinationKey": "there.txt", "destinationBucket": "other"}
    assert old.call("POST", "/object/copy", data=pair).json() == {"Key": "photos/there.txt"}
    assert old.call("POST", "/object/copy", data=pair, x_upsert="true").json()["error"] == "Duplicate"
    pair["destinationKey"] = "moved.txt"
    assert old.call("POST", "/object/move", data=pair).status == 200
    assert old.rows("other") == []
    assert old.call("HEAD", "/object/authenticated/photos/moved.txt").status == 200


def test_info_is_headers_alone(old: Space) -> None:
    post(old, "info.txt")
    reply = old.call("GET", "/object/info/authenticated/photos/info.txt")
    assert (reply.status, reply.body, reply.headers["content-length"]) == (200, b"", "0")
    assert {"etag", "last-modified", "cache-control"} <= set(reply.headers)
    assert reply.headers["content-type"] == "text/plain"


def test_links_name_no_scope_and_open(old: Space) -> None:
    post(old, "link.txt")
    link = old.call("POST", "/object/sign/photos/link.txt", data={"expiresIn": 60}).json()["signedURL"]
    opened = old.call("GET", f"{link}&download=a.txt", who=None)
    assert (opened.body, opened.headers["content-disposition"][-1]) == (b"hello", ";")


@pytest.mark.parametrize(
    ("method", "path", "who", "words"),
    [
        ("GET", "/bucket/nothing", "service", ("404", "Not found", "The resource was not found")),
        ("GET", "/bucket/", "garbage", ("400", "jwt malformed", "jwt malformed")),
        ("DELETE", "/bucket/photos", "service", ("400", "Storage not empty", "Storage not empty")),
    ],
)
def test_errors_carry_no_code(old: Space, method: str, path: str, who: str, words: tuple[str, str, str]) -> None:
    post(old, "anything.txt")
    reply = old.call(method, path, who=who)
    assert (reply.status, reply.json()) == (400, dict(zip(("statusCode", "error", "message"), words, strict=True)))


def test_a_bucket_is_emptied_at_once(old: Space) -> None:
    assert old.call("POST", "/bucket/other/empty").json() == {"message": "Successfully emptied"}


def test_a_capped_listing_goes_on_where_it_ended() -> None:
    space = open_space(RUN_DIR / "capped", "--list-cap", "3")
    try:
        space.create("crowd")
        for number in range(7):
            space.put("crowd", f"{number}.txt")
        pages = [[row["name"] for row in space.rows("crowd", limit=1000, offset=offset)] for offset in (0, 3, 6, 9)]
        assert pages == [["0.txt", "1.txt", "2.txt"], ["3.txt", "4.txt", "5.txt"], ["6.txt"], []]
    finally:
        stop_sandbox(space.sandbox)
