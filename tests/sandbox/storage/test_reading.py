"""The bytes of an object: S16 to S18 and S20 share these rules; S19 and S21 tell of them."""

import pytest

from tests.sandbox.storage.asking import NO_BUCKET, NO_OBJECT, Reply, Space, refused

BAD_RANGE = refused("416", "invalid_range", "invalid range provided", "InvalidRange", http=416)
TAG = '"5eb63bbbe01eeed093cb22bb8f5acdc3"'


@pytest.fixture
def cat(space: Space, bucket: str) -> str:
    """The path of an object that says hello world."""
    space.put(bucket, "folder/cat.txt", b"hello world", Cache_Control="max-age=3600")
    return f"/object/authenticated/{bucket}/folder/cat.txt"


def test_it_comes_with_all_that_is_known_of_it(space: Space, cat: str) -> None:
    reply = space.call("GET", cat)
    assert (reply.status, reply.body) == (200, b"hello world")
    kept = {
        name: reply.headers[name]
        for name in ("accept-ranges", "content-type", "etag", "x-robots-tag", "cache-control", "content-length")
    }
    assert kept == {
        "accept-ranges": "bytes", "content-type": "text/plain", "etag": TAG, "x-robots-tag": "none",
        "cache-control": "max-age=3600", "content-length": "11",
    }  # fmt: skip
    assert reply.headers["last-modified"].endswith(" GMT")
    assert not {"vary", "expires", "content-disposition", "content-encoding", "set-cookie"} & set(reply.headers)


def test_head_is_the_same_without_the_bytes(space: Space, cat: str) -> None:
    whole, head = space.call("GET", cat), space.call("HEAD", cat, Range="bytes=0-1")
    assert (head.status, head.body) == (200, b"")
    assert {**head.headers, "date": ""} == {**whole.headers, "date": ""}
    assert space.call("HEAD", cat + "x").status == 400


@pytest.mark.parametrize(
    ("asked", "body", "content_range"),
    [
        ("bytes=2-4", b"llo", "bytes 2-4/11"),
        ("bytes=-3", b"rld", "bytes 8-10/11"),
        ("bytes=6-", b"world", "bytes 6-10/11"),
        ("bytes=0-0", b"h", "bytes 0-0/11"),
        ("bytes=5-999", b" world", "bytes 5-10/11"),
        ("bytes=-999", b"hello world", "bytes 0-10/11"),
    ],
)
def test_a_range_is_a_part(space: Space, cat: str, asked: str, body: bytes, content_range: str) -> None:
    reply = space.call("GET", cat, Range=asked, If_Range='"other"')
    assert (reply.status, reply.body) == (206, body)
    assert (reply.headers["content-range"], reply.headers["content-length"]) == (content_range, str(len(body)))


@pytest.mark.parametrize(
    "asked", ["bytes=100-200", "bytes=11-", "bytes=0-1,3-4", "lines=0-1", "bytes=4-2", "bytes=-", "bytes=-0", "bytes=x-"]
)
def test_any_other_range_can_t_be_had(space: Space, cat: str, asked: str) -> None:
    assert space.call("GET", cat, Range=asked).refusal == BAD_RANGE


@pytest.mark.parametrize("asked", ["bytes=0-", "bytes=0-0", "bytes=-1"])
def test_an_empty_object_has_no_ranges(space: Space, bucket: str, asked: str) -> None:
    space.put(bucket, "empty.txt", b"")
    assert space.call("GET", f"/object/authenticated/{bucket}/empty.txt", Range=asked).refusal == BAD_RANGE


def test_one_exact_tag_or_a_later_date_means_unchanged(space: Space, cat: str) -> None:
    def unchanged(reply: Reply) -> bool:
        if reply.status == 304:
            assert reply.body == b""
            assert (reply.headers["etag"], reply.headers["cache-control"]) == (TAG, "max-age=3600")
        return reply.status == 304

    modified = space.call("GET", cat).headers["last-modified"]
    assert unchanged(space.call("GET", cat, If_None_Match=TAG))
    assert unchanged(space.call("GET", cat, If_Modified_Since="Fri, 01 Jan 2100 00:00:00 GMT"))
    assert unchanged(space.call("GET", cat, If_Modified_Since=modified))
    assert not unchanged(space.call("GET", cat, If_Modified_Since="Fri, 01 Jan 1999 00:00:00 GMT"))
    assert not unchanged(space.call("GET", cat, If_Modified_Since="yesterday"))
    for other in ("*", f"W/{TAG}", f'{TAG}, "x"', TAG.strip('"')):
        reply = space.call("GET", cat, If_None_Match=other)
        assert (reply.status, reply.headers["cache-control"]) == (200, "max-age=3600, stale-while-revalidate=30")
    assert space.call("GET", cat, If_Match='"x"', If_Unmodified_Since="Fri, 01 Jan 1999 00:00:00 GMT").status == 200


@pytest.mark.parametrize(
    ("query", "disposition"),
    [
        ("?download=report.txt", "attachment; filename=report.txt; filename*=UTF-8''report.txt"),
        ("?download", "attachment;"),
        ("?download=", "attachment;"),
        ("?download=my%20%C3%BC.txt", "attachment; filename=my%20%C3%BC.txt; filename*=UTF-8''my%20%C3%BC.txt"),
        ("?download=a%22;%0d%0aX:y", "attachment; filename=a%22%3B%0D%0AX%3Ay; filename*=UTF-8''a%22%3B%0D%0AX%3Ay"),
    ],
)
def test_a_download_may_be_named(space: Space, cat: str, query: str, disposition: str) -> None:
    assert space.call("GET", cat + query).headers["content-disposition"] == disposition


def test_a_page_is_shown_as_text_and_nothing_runs(space: Space, bucket: str) -> None:
    space.put(bucket, "page.html", b"<h1>x</h1>", "text/html; charset=utf-8")
    reply = space.call("GET", f"/object/authenticated/{bucket}/page.html")
    assert (reply.headers["content-type"], reply.headers["x-content-type-options"]) == ("text/plain", "nosniff")
    assert space.rows(bucket)[0]["metadata"]["mimetype"] == "text/html; charset=utf-8"
    space.put(bucket, "x.svg", b"<svg/>", "image/svg+xml")
    reply = space.call("GET", f"/object/authenticated/{bucket}/x.svg")
    assert reply.headers["content-security-policy"].startswith("sandbox; default-src 'none';")
    space.put(bucket, "x.pdf", b"%PDF", "application/pdf")
    assert "content-security-policy" not in space.call("GET", f"/object/authenticated/{bucket}/x.pdf").headers


def test_a_value_that_no_header_may_hold_is_cleaned(space: Space, bucket: str) -> None:
    copied = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b", "copyMetadata": False}
    space.put(bucket, "a")
    space.call("POST", "/object/copy", data={**copied, "metadata": {"cacheControl": "x\r\nSet-Cookie: ü€", "mimetype": "a/b\n"}})
    reply = space.call("GET", f"/object/authenticated/{bucket}/b")
    assert (reply.status, reply.headers["cache-control"], reply.headers["content-type"]) == (200, "xSet-Cookie: ü", "a/b")


def test_what_isn_t_there_is_told_apart_only_for_the_trusted(space: Space, bucket: str, public: str) -> None:
    space.put(bucket, "folder/a")
    for kind in ("authenticated", "info/authenticated"):
        assert space.call("GET", f"/object/{kind}/{bucket}/folder").refusal == NO_OBJECT
        assert space.call("GET", f"/object/{kind}/none/x").refusal == NO_BUCKET
        assert space.call("GET", f"/object/{kind}/no%23/x").refusal == NO_BUCKET
    for kind in ("public", "info/public"):
        assert space.call("GET", f"/object/{kind}/{bucket}/folder/a").refusal == NO_BUCKET
        assert space.call("GET", f"/object/{kind}/none/a", who=None).refusal == NO_BUCKET
        assert space.call("GET", f"/object/{kind}/{public}/nope", who=None).refusal == NO_OBJECT


def test_a_public_bucket_needs_no_credential(space: Space, public: str) -> None:
    space.put(public, "img/pub.txt", b"public bytes")
    for who in (None, "garbage", "anon"):
        assert space.call("GET", f"/object/public/{public}/img/pub.txt", who=who).body == b"public bytes"
        assert space.call("GET", f"/object/info/public/{public}/img/pub.txt", who=who).json()["size"] == 12
    assert space.call("HEAD", f"/object/public/{public}/img/pub.txt", who=None).headers["content-length"] == "12"
    assert space.call("HEAD", f"/object/info/public/{public}/img/pub.txt", who=None).status == 400


def test_info_is_json_under_the_headers_of_the_object(space: Space, bucket: str, cat: str) -> None:
    long = space.call("GET", cat.replace("/object/", "/object/info/"))
    short = space.call("GET", f"/object/info/{bucket}/folder/cat.txt")
    assert list(long.json()) == [
        "id", "name", "version", "bucket_id", "size", "content_type", "cache_control", "etag", "metadata",
        "last_modified", "created_at",
    ]  # fmt: skip
    assert long.json() == short.json()
    assert (long.headers["etag"], long.headers["cache-control"]) == (TAG, "max-age=3600")
    assert long.headers["last-modified"].endswith("GMT")
