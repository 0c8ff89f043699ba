"""S9 and S10: both forms of an upload, what is kept of them, what is refused and in which order."""

import base64
import hashlib
import json

import pytest

from tests.sandbox.storage.asking import BAD_NAME, NO_BUCKET, NO_HEADER, TOO_LARGE, Space, duplicate, refused

BOUNDARY = "XBOUNDX"
FORM = f"multipart/form-data; boundary={BOUNDARY}"


def bad_type(mime: str) -> tuple[int, str, str, str, str]:
    return refused("415", "invalid_mime_type", f"mime type {mime} is not supported", "InvalidMimeType")


def bad_key(key: str) -> tuple[int, str, str, str, str]:
    return refused("400", "InvalidKey", f"Invalid key: {key}", "InvalidKey")


def form(*parts: tuple[str, bytes], file: bytes | None = None, name: str = "file", mime: str | None = "text/plain") -> bytes:
    """Text fields, then the file part."""
    body = b"".join(b'--XBOUNDX\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (n.encode(), v) for n, v in parts)
    if file is not None:
        kind = f"\r\nContent-Type: {mime}" if mime else ""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="a b.txt"{kind}\r\n\r\n'
        body += head.encode() + file + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def stored(space: Space, bucket: str, key: str) -> dict[str, object]:
    found: dict[str, object] = space.call("GET", f"/object/info/authenticated/{bucket}/{key}").json()
    return found


def test_a_raw_body_is_kept_with_its_type_and_cache_control(space: Space, bucket: str) -> None:
    reply = space.call(
        "POST", f"/object/{bucket}/folder/cat.txt", data=b"hello world", Content_Type="text/plain", Cache_Control="max-age=7"
    )
    assert list(reply.json()) == ["Key", "Id"]
    assert reply.json()["Key"] == f"{bucket}/folder/cat.txt"
    row = stored(space, bucket, "folder/cat.txt")
    assert row["id"] == reply.json()["Id"]
    assert (row["size"], row["content_type"], row["cache_control"], row["metadata"]) == (11, "text/plain", "max-age=7", {})
    assert row["etag"] == f'"{hashlib.md5(b"hello world", usedforsecurity=False).hexdigest()}"'
    assert space.read(bucket, "folder/cat.txt") == b"hello world"


def test_what_is_not_said_has_defaults(space: Space, bucket: str) -> None:
    space.call("POST", f"/object/{bucket}/x", data=b"1")
    assert (stored(space, bucket, "x")["content_type"], stored(space, bucket, "x")["cache_control"]) == (
        "application/octet-stream",
        "no-cache",
    )


def test_an_empty_object_is_one(space: Space, bucket: str) -> None:
    assert space.call("POST", f"/object/{bucket}/empty.txt", Content_Type="text/plain").status == 200
    assert stored(space, bucket, "empty.txt")["size"] == 0
    assert space.read(bucket, "empty.txt") == b""


def test_posting_again_needs_the_word_true(space: Space, bucket: str) -> None:
    first = space.put(bucket, "k", b"one", Cache_Control="max-age=1", x_metadata=base64.b64encode(b'{"a":1}').decode())
    before = stored(space, bucket, "k")
    for value in ("1", "TRUE", "yes", "false", ""):
        reply = space.call("POST", f"/object/{bucket}/k", data=b"two", x_upsert=value)
        assert reply.refusal == duplicate("KeyAlreadyExists")
    assert space.read(bucket, "k") == b"one"
    assert space.call("POST", f"/object/{bucket}/k", data=b"three", x_upsert="true").json()["Id"] == first
    after = stored(space, bucket, "k")
    assert (after["id"], after["created_at"]) == (before["id"], before["created_at"])
    assert after["version"] != before["version"]
    assert (before["metadata"], after["metadata"], after["cache_control"]) == ({"a": 1}, {}, "no-cache")
    assert space.read(bucket, "k") == b"three"


def test_put_creates_and_replaces(space: Space, bucket: str) -> None:
    made = space.put(bucket, "new", b"by put")
    assert space.put(bucket, "new", b"again") == made
    assert space.read(bucket, "new") == b"again"


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("name", ["file", "", "anything"])
def test_a_form_is_kept_with_the_fields_before_its_file(space: Space, bucket: str, method: str, name: str) -> None:
    body = form(("cacheControl", b"3600"), ("metadata", b'{"k":"v"}'), file=b"\r\n--bytes--\r\n", name=name, mime="image/png")
    assert space.call(method, f"/object/{bucket}/f.png", data=body, Content_Type=FORM).status == 200
    row = stored(space, bucket, "f.png")
    assert (row["content_type"], row["cache_control"], row["metadata"]) == ("image/png", "max-age=3600", {"k": "v"})
    assert space.read(bucket, "f.png") == b"\r\n--bytes--\r\n"


def test_a_form_may_name_the_type_in_a_field(space: Space, bucket: str) -> None:
    body = form(("contentType", b"text/markdown"), ("userMetadata", b'{"u":1}'), file=b"#", mime=None)
    space.call("POST", f"/object/{bucket}/m", data=body, Content_Type=FORM)
    assert (stored(space, bucket, "m")["content_type"], stored(space, bucket, "m")["metadata"]) == ("text/markdown", {"u": 1})
    space.call("POST", f"/object/{bucket}/n", data=form(file=b"", mime=None), Content_Type=FORM)
    assert (stored(space, bucket, "n")["content_type"], stored(space, bucket, "n")["size"]) == ("text/plain", 0)


@pytest.mark.parametrize(
    ("content_type", "body", "message"),
    [
        (FORM, form(("k", b"v")), "No content provided"),
        ("multipart/form-data", b"zzz", "Multipart: Boundary not found"),
        (FORM, form(file=b"cut")[:-6], "Unexpected end of form"),
        (FORM, form(file=b"one")[:-13] + form(file=b"two"), "reach files limit"),
        (FORM, form(("big", b"x" * (6 << 20)), file=b"one"), "request file too large"),
    ],
)
def test_a_form_that_is_none_is_refused(space: Space, bucket: str, content_type: str, body: bytes, message: str) -> None:
    reply = space.call("POST", f"/object/{bucket}/f", data=body, Content_Type=content_type)
    assert reply.refusal == refused("400", "InvalidRequest", message, "InvalidRequest")
    assert space.rows(bucket) == []


@pytest.mark.parametrize(
    "value", [b"", b"[1]", b"{", b"\xff", b'{"a":NaN}', b'{"a":[1e999]}', b'{"a":' * 300 + b"1" + b"}" * 300]
)
def test_metadata_that_can_t_be_read_is_ignored(space: Space, bucket: str, value: bytes) -> None:
    space.put(bucket, "m", x_metadata=base64.b64encode(value).decode())
    assert stored(space, bucket, "m")["metadata"] == {}
    space.call("POST", f"/object/{bucket}/f", data=form(("metadata", value), file=b"x"), Content_Type=FORM)
    assert stored(space, bucket, "f")["metadata"] == {}
    space.put(bucket, "n", x_metadata="no base64")
    assert stored(space, bucket, "n")["metadata"] == {}


def test_sizes_are_refused_above_the_limit_only(space: Space, fresh: str) -> None:
    space.create(fresh, file_size_limit="1KB")
    space.put(fresh, "exact.txt", b"x" * 1000)
    for method in ("POST", "PUT"):
        assert space.call(method, f"/object/{fresh}/big", data=b"x" * 1001).refusal == TOO_LARGE
        assert space.call(method, f"/object/{fresh}/big", data=form(file=b"x" * 1001), Content_Type=FORM).refusal == TOO_LARGE
    chunked = space.call("POST", f"/object/{fresh}/chunked", data=b"x" * 5000, Transfer_Encoding="chunked")
    assert chunked.status == 200
    assert space.names(fresh) == ["chunked", "exact.txt"]


def test_a_limit_of_zero_admits_empty_objects(space: Space, fresh: str) -> None:
    space.create(fresh, file_size_limit=0)
    space.put(fresh, "empty", b"")
    assert space.call("POST", f"/object/{fresh}/one", data=b"1").refusal == TOO_LARGE


def test_types_are_compared_as_text(space: Space, fresh: str) -> None:
    space.create(fresh, allowed_mime_types=["image/png", "text/*", "application/x; charset=utf-8"])
    for mime in ("image/png", "text/plain", "text/html; charset=utf-8", "application/x; charset=utf-8"):
        space.put(fresh, "k", b"", mime)
    for mime in ("application/pdf", "image/png; charset=x", "Image/PNG", "application/x"):
        assert space.call("POST", f"/object/{fresh}/k", Content_Type=mime).refusal == bad_type(mime)
    assert space.call("POST", f"/object/{fresh}/k", data=b"").refusal == bad_type("application/octet-stream")
    body = form(file=b"x", mime="video/mp4")
    assert space.call("POST", f"/object/{fresh}/k", data=body, Content_Type=FORM).refusal == bad_type("video/mp4")
    weird = refused("415", "invalid_mime_type", "Invalid Content-Type header", "InvalidMimeType")
    assert space.call("POST", f"/object/{fresh}/k", Content_Type="weird").refusal == weird


@pytest.mark.parametrize("entry", ["*/*", "*"])
def test_a_star_for_everything_matches_nothing(space: Space, fresh: str, entry: str) -> None:
    space.create(fresh, allowed_mime_types=[entry])
    assert space.call("POST", f"/object/{fresh}/k", Content_Type="text/plain").refusal == bad_type("text/plain")


def test_the_mark_of_an_empty_folder_is_empty_and_of_any_type(space: Space, fresh: str) -> None:
    space.create(fresh, allowed_mime_types=["image/png"])
    space.put(fresh, "new/.emptyFolderPlaceholder", b"", "application/octet-stream")
    assert space.call("POST", f"/object/{fresh}/two/.emptyFolderPlaceholder", data=b"abc").refusal == TOO_LARGE
    assert space.names(fresh, "new") == [".emptyFolderPlaceholder"]


def test_robots_are_told_what_the_uploader_said(space: Space, bucket: str) -> None:
    space.put(bucket, "r", x_robots_tag="googlebot: noindex, max-snippet: 5")
    assert space.call("GET", f"/object/authenticated/{bucket}/r").headers["x-robots-tag"] == "googlebot: noindex, max-snippet: 5"
    assert space.rows(bucket)[0]["metadata"]["xRobotsTag"] == "googlebot: noindex, max-snippet: 5"
    reply = space.call("POST", f"/object/{bucket}/s", data=b"k", x_robots_tag="zzz")
    message = 'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "zzz"'
    assert reply.refusal == refused("400", "invalid_x_robots_tag", message, "InvalidRequest")


def test_the_first_thing_that_is_wrong_is_the_one_that_is_told(space: Space, fresh: str) -> None:
    space.create(fresh, file_size_limit=10, allowed_mime_types=["text/plain"])
    space.put(fresh, "taken", b"")
    big = b"x" * 11

    def told(bucket: str, key: str, data: bytes, mime: str, who: str | None) -> tuple[int, str, str, str, str]:
        return space.call("POST", f"/object/{bucket}/{key}", data=data, Content_Type=mime, who=who).refusal

    assert told("none", "%23", big, "a/b", None) == NO_HEADER
    assert told("no%23", "%23", big, "a/b", "anon") == BAD_NAME
    assert told("none", "%23", big, "a/b", "anon") == NO_BUCKET
    assert told(fresh, "%23", big, "a/b", "anon") == bad_type("a/b")
    assert told(fresh, "%23", big, "text/plain", "anon") == TOO_LARGE
    assert told(fresh, "%23", b"", "text/plain", "anon") == bad_key("#")
    assert told(fresh, "taken", b"", "text/plain", "anon")[3] == "new row violates row-level security policy"
    assert told(fresh, "taken", b"", "text/plain", "service") == duplicate("KeyAlreadyExists")


@pytest.mark.parametrize("path", ["/object/list-v2/{}", "/object/upload/sign/{}/k"])
def test_operations_outside_the_interface_are_no_routes(space: Space, bucket: str, path: str) -> None:
    reply = space.call("POST", path.format(bucket), data=json.loads("{}"))
    message = f"Route POST:{path.format(bucket)} not found"
    assert reply.refusal == refused("404", "Not Found", message, "InvalidRequest", http=404)
