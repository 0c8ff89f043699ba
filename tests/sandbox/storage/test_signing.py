"""S14 to S16."""

import time
from urllib.parse import quote

import jwt
import pytest

from tests.sandbox.storage.asking import BAD_NAME, NO_OBJECT, Space, invalid, refused

MISSING = "Either the object does not exist or you do not have access to it"
WRONG = refused("400", "InvalidSignature", "Invalid signature", "InvalidSignature")


@pytest.fixture
def shelf(space: Space, bucket: str) -> str:
    """A bucket with folder/cat.txt, `sp ace/a b.txt`, a+b and a?b."""
    for key in ("folder/cat.txt", "sp%20ace/a%20b.txt", "a+b", "a%3Fb"):
        space.put(bucket, key, key.encode())
    return bucket


def sign(space: Space, bucket: str, path: str, **body: object) -> str:
    reply = space.call("POST", f"/object/sign/{bucket}/{path}", data={"expiresIn": 60, **body})
    assert reply.status == 200, reply.body
    return str(reply.json()["signedURL"])


def test_a_link_opens_the_object_without_a_credential(space: Space, shelf: str) -> None:
    link = sign(space, shelf, "folder/cat.txt")
    address, token = link.split("?token=")
    assert address == f"/object/sign/{shelf}/folder/cat.txt"
    assert jwt.get_unverified_header(token) == {"alg": "HS256"}
    claims = jwt.decode(token, space.secret, algorithms=["HS256"])
    assert list(claims) == ["url", "scope", "iat", "exp"]
    assert (claims["url"], claims["scope"], claims["exp"] - claims["iat"]) == (f"{shelf}/folder/cat.txt", "download", 60)
    reply = space.call("GET", link, who=None)
    assert (reply.status, reply.body) == (200, b"folder/cat.txt")
    assert "expires" in reply.headers
    assert "cache-control" not in reply.headers
    assert (
        space.call("GET", link + "&download=x.txt", who=None)
        .headers["content-disposition"]
        .startswith("attachment; filename=x.txt")
    )
    assert space.call("GET", link, who=None, Range="bytes=0-5").body == b"folder"
    assert space.call("HEAD", link, who=None).headers["content-length"] == "14"
    assert space.call("GET", link, who=None, If_None_Match=reply.headers["etag"]).status == 304


def test_the_link_is_not_percent_encoded(space: Space, shelf: str) -> None:
    link = sign(space, shelf, "sp%20ace/a%20b.txt")
    assert link.startswith(f"/object/sign/{shelf}/sp ace/a b.txt?token=")
    assert space.call("GET", link.replace(" ", "%20"), who=None).body == b"sp%20ace/a%20b.txt"


def test_a_reserved_sign_that_was_escaped_makes_a_dead_link(space: Space, shelf: str) -> None:
    assert space.call("GET", sign(space, shelf, "a+b"), who=None).body == b"a+b"
    dead = sign(space, shelf, "a%2Bb")
    assert dead.startswith(f"/object/sign/{shelf}/a%2Bb?token=")
    assert space.call("GET", dead, who=None).refusal == WRONG
    assert space.call("GET", sign(space, shelf, "a%3Fb"), who=None).refusal == WRONG
    (item,) = space.call("POST", f"/object/sign/{shelf}", data={"expiresIn": 60, "paths": ["a?b"]}).json()
    token = item["signedURL"].split("?token=")[1]
    assert space.call("GET", f"/object/sign/{shelf}/a%3Fb?token={token}", who=None).body == b"a%3Fb"


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({}, invalid("body must have required property 'expiresIn'")),
        ({"expiresIn": 0}, invalid("body/expiresIn must be >= 1")),
        ({"expiresIn": 1.5}, invalid("body/expiresIn must be integer")),
        ({"expiresIn": "soon"}, invalid("body/expiresIn must be integer")),
        ({"expiresIn": 10**18}, refused("400", "InvalidParameter", "Invalid Parameter expiresIn", "InvalidParameter")),
        (
            {"expiresIn": 60, "transform": {"resize": "zzz"}},
            invalid("body/transform/resize must be equal to one of the allowed values"),
        ),
        ({"expiresIn": 60, "transform": {"quality": 5}}, invalid("body/transform/quality must be >= 20")),
    ],
)
def test_it_names_what_is_wrong_with_a_wish(space: Space, shelf: str, body: object, refusal: object) -> None:
    assert space.call("POST", f"/object/sign/{shelf}/folder/cat.txt", data=body).refusal == refusal


def test_a_numeric_text_and_more_members_are_accepted(space: Space, shelf: str) -> None:
    link = sign(space, shelf, "folder/cat.txt", expiresIn="60", download=True, transform={"width": 10})
    assert space.call("GET", link, who=None).status == 200
    assert space.call("GET", sign(space, shelf, "folder/cat.txt", expiresIn=8 * 10**12), who=None).status == 200


def test_only_what_exists_is_signed(space: Space, shelf: str) -> None:
    wish = {"expiresIn": 60}
    assert space.call("POST", f"/object/sign/{shelf}/nope", data=wish).refusal == NO_OBJECT
    assert space.call("POST", f"/object/sign/{shelf}/folder", data=wish).refusal == NO_OBJECT
    assert space.call("POST", "/object/sign/none/nope", data=wish).refusal == NO_OBJECT
    assert space.call("POST", "/object/sign/no%23/nope", data=wish).refusal == BAD_NAME


def test_a_key_of_nothing_is_an_invalid_key_and_not_a_set_to_sign(space: Space, shelf: str) -> None:
    empty = refused("400", "InvalidKey", "Invalid key: ", "InvalidKey")
    for bucket in (shelf, "none"):
        assert space.call("POST", f"/object/sign/{bucket}/", data={"expiresIn": 60}).refusal == empty


def test_several_are_signed_in_their_order(space: Space, shelf: str) -> None:
    paths = ["folder/cat.txt", "nope.txt", "sp ace/a b.txt", "folder/cat.txt", "ü\x00"]
    items = space.call("POST", f"/object/sign/{shelf}", data={"expiresIn": 60, "paths": paths}).json()
    assert [item["path"] for item in items] == paths
    assert [item["error"] for item in items] == [None, MISSING, None, None, MISSING]
    for item in items:
        assert list(item) == ["error", "path", "signedURL"]
        assert (item["signedURL"] is None) == (item["error"] is not None)
    link = items[2]["signedURL"]
    assert link.startswith(f"/object/sign/{shelf}/sp ace/a b.txt?token=")
    assert space.call("GET", quote(link, safe="/?=&"), who=None).status == 200
    items = space.call("POST", "/object/sign/none", data={"expiresIn": 60, "paths": ["a"]}).json()
    assert items == [{"error": MISSING, "path": "a", "signedURL": None}]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"expiresIn": 60, "paths": []}, "body/paths must NOT have fewer than 1 items"),
        ({"expiresIn": 60, "paths": ["p"] * 1001}, "body/paths must NOT have more than 1000 items"),
        ({"paths": ["a"]}, "body must have required property 'expiresIn'"),
        ({"expiresIn": 60}, "body must have required property 'paths'"),
    ],
)
def test_it_names_what_is_wrong_with_several(space: Space, bucket: str, body: object, complaint: str) -> None:
    assert space.call("POST", f"/object/sign/{bucket}", data=body).refusal == invalid(complaint)


def test_a_link_ends(space: Space, shelf: str) -> None:
    link = sign(space, shelf, "folder/cat.txt", expiresIn=1)
    time.sleep(2)
    refusal = refused("400", "InvalidJWT", '"exp" claim timestamp check failed', "InvalidJWT")
    assert space.call("GET", link, who=None).refusal == refusal


def test_a_token_opens_one_object_only(space: Space, shelf: str) -> None:
    def opened(token: str, key: str = "folder/cat.txt") -> object:
        reply = space.call("GET", f"/object/sign/{shelf}/{key}?token={token}", who=None)
        return reply.body if reply.status == 200 else reply.refusal

    def bad_token(message: str) -> object:
        return refused("400", "InvalidJWT", message, "InvalidJWT")

    url = f"{shelf}/folder/cat.txt"
    token = sign(space, shelf, "folder/cat.txt").split("?token=")[1]
    assert opened(token, "a+b") == WRONG
    assert opened(space.service) == WRONG
    assert opened("zzz") == bad_token("Invalid Compact JWS")
    assert opened(token[:-6] + ("AAAAAA" if token[-6:] != "AAAAAA" else "BBBBBB")) == bad_token("signature verification failed")
    scope = refused("400", "InvalidSignature", "Token is not scoped for download", "InvalidSignature")
    assert opened(space.signed(url=url, scope="upload")) == scope
    assert opened(space.signed(url=url)) == b"folder/cat.txt"
    without = space.call("GET", f"/object/sign/{url}", who=None)
    assert without.refusal == invalid("querystring must have required property 'token'")
    space.call("DELETE", f"/object/{url}")
    assert opened(token) == NO_OBJECT
