"""Whatever is sent, the answer is one that the service could have given: never a failure of our own."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sandbox.storage.asking import Reply, Space

FLEETING = settings(max_examples=80)
BUCKET = "wild"

MEMBERS = """
    name id public file_size_limit allowed_mime_types type prefixes bucketId sourceKey destinationKey destinationBucket
    copyMetadata metadata cacheControl mimetype prefix limit offset search sortBy column order expiresIn paths transform
    width resize quality a/b wild 5MB desc created_at
"""
SEGMENTS = """
    bucket object sign list info authenticated public move copy empty wild k .. . %2F %zz %00 %ff %C3%BC a%20b list-v2
    upload render
"""
HEADERS = """
    Range If-None-Match If-Modified-Since Content-Type Cache-Control x-metadata x-upsert x-robots-tag Accept Authorization apikey
    Accept-Encoding
"""
VALUES = ["bytes=0-", "bytes=-1", "bytes=1-0", "application/json", "multipart/form-data; boundary=B", "Bearer a.b.c", "true", "*"]

words = st.sampled_from(MEMBERS.split())
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8) | words
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=4), inner, max_size=6),
    max_leaves=12,
)
bodies = st.dictionaries(words, values, max_size=10) | values
pieces = st.sampled_from([*SEGMENTS.split(), "", "x" * 300])
paths = st.lists(pieces, max_size=6).map(lambda parts: "/" + "/".join(parts))
methods = st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
latin = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=30)
headers = st.dictionaries(
    st.sampled_from(HEADERS.split()).map(lambda name: name.replace("-", "_")), latin | st.sampled_from(VALUES), max_size=5
)
queries = st.lists(
    st.tuples(
        st.sampled_from(["limit", "offset", "sortColumn", "sortOrder", "search", "token", "download", "authorization"]),
        st.sampled_from(
            ["", "0", "1", "-1", "x", "%ff", "%zz", "a%0d%0ab", "9" * 400, "name", "desc", "%00", "e30.e30.e30", "a.b.c"]
        ),
    ),
    max_size=4,
).map(lambda pairs: "?" + "&".join(f"{name}={value}" for name, value in pairs) if pairs else "")


def is_sound(method: str, reply: Reply) -> None:
    assert reply.status in {200, 206, 304, 400, 403, 404, 413, 416}, reply
    if reply.status >= 400 and method != "HEAD":
        assert {"message", "error", "statusCode"} <= set(json.loads(reply.body)), reply


OPERATIONS = [
    ("POST", "/bucket/"),
    ("PUT", f"/bucket/{BUCKET}"),
    ("DELETE", f"/object/{BUCKET}"),
    ("POST", "/object/move"),
    ("POST", "/object/copy"),
    ("POST", f"/object/list/{BUCKET}"),
    ("POST", f"/object/sign/{BUCKET}/k"),
    ("POST", f"/object/sign/{BUCKET}"),
]


def prepare(space: Space) -> None:
    space.call("POST", "/bucket/", data={"name": BUCKET})
    space.call("PUT", f"/object/{BUCKET}/k", data=b"some bytes")


@FLEETING
@given(operation=st.sampled_from(OPERATIONS), body=bodies)
def test_any_json_is_answered(space: Space, operation: tuple[str, str], body: Any) -> None:
    prepare(space)
    method, path = operation
    is_sound(method, space.call(method, path, data=json.dumps(body).encode(), Content_Type="application/json"))


@FLEETING
@given(method=methods, target=st.tuples(paths, queries).map("".join), more=headers, body=st.none() | st.binary(max_size=60))
def test_any_request_is_answered(space: Space, method: str, target: str, more: dict[str, str], body: bytes | None) -> None:
    prepare(space)
    is_sound(method, space.call(method, target, data=body, **more))


@FLEETING
@given(query=queries, more=headers, kind=st.sampled_from(["authenticated", "info/authenticated", "public", "sign"]))
def test_any_way_of_reading_is_answered(space: Space, query: str, more: dict[str, str], kind: str) -> None:
    prepare(space)
    more.pop("Content_Type", None)
    is_sound("GET", space.call("GET", f"/object/{kind}/{BUCKET}/k{query}", **more))


@FLEETING
@given(
    more=headers,
    body=st.binary(max_size=200) | st.just(b'--B\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nx\r\n--B--'),
)
def test_any_upload_is_answered(space: Space, more: dict[str, str], body: bytes) -> None:
    prepare(space)
    reply = space.call("PUT", f"/object/{BUCKET}/k", data=body, **more)
    is_sound("PUT", reply)
    if reply.status == 200:
        is_sound("GET", space.call("GET", f"/object/authenticated/{BUCKET}/k"))
