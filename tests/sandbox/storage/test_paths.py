"""Keys in paths: decoded once from what was really sent."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sandbox.storage.asking import Space, refused

ALPHABET = "abcXYZ019_/!.*'()&$@=;:+,?- "
LITERAL = "-_.!*'()+&,:@=$;/"


def is_kept(key: str) -> bool:
    return not {".", ".."} & set(key.split("/"))


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("sp%20ace/a%20b.txt", "sp ace/a b.txt"),
        ("a%2Fb.txt", "a/b.txt"),
        ("a%2fb.txt", "a/b.txt"),
        ("dir//double.txt", "dir//double.txt"),
        ("/lead", "/lead"),
        ("trail/", "trail/"),
        ("a%3Fb", "a?b"),
        ("a+b", "a+b"),
        ("a%2Bb", "a+b"),
        ("%61", "a"),
        ("%20", " "),
        ("...", "..."),
        ("x" * 255 + "/" + "y" * 255, "x" * 255 + "/" + "y" * 255),
    ],
)
def test_a_key_is_what_its_escapes_say(space: Space, bucket: str, sent: str, key: str) -> None:
    reply = space.call("POST", f"/object/{bucket}/{sent}", data=sent.encode())
    assert reply.json()["Key"] == f"{bucket}/{key}"
    assert space.call("GET", f"/object/authenticated/{bucket}/{sent}").body == sent.encode()
    assert [row["name"] for row in space.call("DELETE", f"/object/{bucket}", data={"prefixes": [key]}).json()] == [key]


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("", ""),
        ("%C3%BC.txt", "ü.txt"),
        ("a%25b", "a%b"),
        ("%2525", "%25"),
        ("a%23b", "a#b"),
        ("~x", "~x"),
        ("a%0Ab", "a\nb"),
        ("a%00b", "a\x00b"),
        ("%2E%2E/up", "../up"),
        ("a/./b", "a/./b"),
        ("a/..", "a/.."),
        ("%5B%5D", "[]"),
    ],
)
def test_a_key_outside_the_alphabet_is_refused(space: Space, bucket: str, sent: str, key: str) -> None:
    refusal = refused("400", "InvalidKey", f"Invalid key: {key}", "InvalidKey")
    assert space.call("POST", f"/object/{bucket}/{sent}", data=b"k").refusal == refusal
    assert space.call("PUT", f"/object/{bucket}/{sent}", data=b"k").refusal == refusal


@pytest.mark.parametrize("key", ["x" * 256, f"a/{'x' * 256}", f"{'x' * 256}/a"])
def test_a_segment_over_255_bytes_breaks_the_file_backend(space: Space, bucket: str, key: str) -> None:
    broken = refused("500", "Internal", "Internal Server Error", "InternalError", http=500)
    space.put(bucket, "there")
    assert space.call("POST", f"/object/{bucket}/{key}", data=b"k").refusal == broken
    assert space.call("PUT", f"/object/{bucket}/{key}", data=b"k").refusal == broken
    pair = {"bucketId": bucket, "sourceKey": "there", "destinationKey": key}
    assert space.call("POST", "/object/move", data=pair).refusal == broken
    assert space.call("POST", "/object/copy", data=pair).refusal == broken
    assert space.call("GET", f"/object/info/{bucket}/{key}").json()["code"] == "NoSuchKey"
    assert space.names(bucket) == ["there"]


@pytest.mark.parametrize("sent", ["bad%zz", "bad%", "bad%2", "%ff", "%C3", "%ED%A0%80"])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/object/"), ("GET", "/object/public/"), ("DELETE", "/object/"), ("HEAD", "/object/")]
)
def test_a_broken_escape_is_a_bad_address(space: Space, bucket: str, method: str, path: str, sent: str) -> None:
    reply = space.call(method, f"{path}{bucket}/{sent}")
    assert reply.status == 400
    if method != "HEAD":
        message = f"'{path}{bucket}/{sent}' is not a valid url component"
        assert reply.json() == {"error": "Bad Request", "code": "FST_ERR_BAD_URL", "message": message, "statusCode": 400}


def test_a_slash_hidden_in_a_bucket_s_name_stays_in_it(space: Space, bucket: str) -> None:
    space.put(bucket, "a/b")
    assert space.call("GET", f"/object/authenticated/{bucket}%2Fa/b").refusal[3] == "Bucket not found"


@settings(max_examples=60)
@given(key=st.text(ALPHABET, min_size=1, max_size=60).filter(is_kept))
def test_every_key_of_the_alphabet_makes_the_whole_round(space: Space, key: str) -> None:
    bucket = "rounds"
    space.call("POST", "/bucket/", data={"name": bucket})
    path = quote(key, safe=LITERAL)
    space.put(bucket, path, key.encode())
    assert space.read(bucket, path) == key.encode()
    name = key.rpartition("/")[2]
    prefix = key[: len(key) - len(name)]
    assert name in space.names(bucket, prefix, limit=1500)
    assert space.call("GET", f"/object/info/{bucket}/{path}").json()["name"] == key
    (item,) = space.call("POST", f"/object/sign/{bucket}", data={"expiresIn": 60, "paths": [key]}).json()
    token = item["signedURL"].rpartition("?token=")[2]
    assert space.call("GET", f"/object/sign/{bucket}/{path}?token={token}", who=None).body == key.encode()
    assert space.call("DELETE", f"/object/{bucket}/{path}").status == 200
    assert space.rows(bucket) == []
