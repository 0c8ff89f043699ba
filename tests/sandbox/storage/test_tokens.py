"""Who is let in, with which words the others are turned away, and where the token may stand."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jwt
import pytest

from tests.conftest import stop_sandbox
from tests.sandbox.storage.asking import (
    EXPIRED,
    GARBAGE,
    NO_BUCKET,
    NO_HEADER,
    NO_OBJECT,
    ROW_POLICY,
    Space,
    invalid,
    now,
    refused,
)
from tests.sandbox.storage.conftest import open_space

CREDENTIAL_REQUIRED = [
    ("POST", "/bucket/", {"name": "x"}),
    ("GET", "/bucket/", None),
    ("POST", "/bucket/x/empty", None),
    ("GET", "/bucket/x", None),
    ("PUT", "/bucket/x", {"public": True}),
    ("DELETE", "/bucket/x", None),
    ("DELETE", "/object/x/y", None),
    ("DELETE", "/object/x", {"prefixes": ["y"]}),
    ("POST", "/object/x/y", b"z"),
    ("PUT", "/object/x/y", b"z"),
    ("POST", "/object/move", {"bucketId": "x", "sourceKey": "y", "destinationKey": "z"}),
    ("POST", "/object/copy", {"bucketId": "x", "sourceKey": "y", "destinationKey": "z"}),
    ("POST", "/object/list/x", {"prefix": ""}),
    ("POST", "/object/sign/x/y", {"expiresIn": 60}),
    ("POST", "/object/sign/x", {"expiresIn": 60, "paths": ["y"]}),
    ("GET", "/object/authenticated/x/y", None),
    ("GET", "/object/info/authenticated/x/y", None),
]


@pytest.mark.parametrize(("method", "path", "data"), CREDENTIAL_REQUIRED)
def test_it_asks_for_a_token(space: Space, method: str, path: str, data: object) -> None:
    assert space.call(method, path, data=data, who=None).refusal == NO_HEADER


@pytest.mark.parametrize(("method", "path", "data"), CREDENTIAL_REQUIRED)
def test_it_refuses_garbage_as_a_token(space: Space, method: str, path: str, data: object) -> None:
    assert space.call(method, path, data=data, who="garbage").refusal == GARBAGE


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic YTpi", "a.b.c", "Bearer a.b.c", "Bearer \xe9.\xe9.\xe9", "Bearer ..", "null"]
)
def test_whatever_is_no_token_is_garbage(space: Space, header: str) -> None:
    assert space.call("GET", "/bucket/", who=None, Authorization=header).refusal == GARBAGE


def test_it_says_why_a_token_is_refused(space: Space) -> None:
    def why(token: str) -> str:
        status, status_code, error, message, code = space.call("GET", "/bucket/", who=token).refusal
        assert (status, status_code, error, code) == (400, "403", "Unauthorized", "AccessDenied")
        return message

    elsewhere = jwt.encode({"role": "service_role"}, "another secret that is long enough to sign", algorithm="HS256")
    assert why(elsewhere) == "signature verification failed"
    assert why(space.signed(role="service_role", exp=now() - 10)) == '"exp" claim timestamp check failed'
    assert why(space.signed(role="service_role", nbf=now() + 100)) == '"nbf" claim timestamp check failed'
    unsigned = jwt.encode({"role": "service_role"}, "", algorithm="none")
    assert why(unsigned) == '"alg" (Algorithm) Header Parameter value not allowed'


@pytest.mark.parametrize("form", ["{}", "Bearer {}", "bearer {}", "BEARER   {} "])
def test_the_word_bearer_may_be_missing(space: Space, form: str) -> None:
    assert space.call("GET", "/bucket/", who=None, Authorization=form.format(space.service)).status == 200


def test_a_token_without_an_end_and_one_issued_tomorrow_are_good(space: Space) -> None:
    assert space.call("GET", "/bucket/", who=space.signed(role="service_role", iat=now() + 86400, aud="x", sub=7)).status == 200


def test_a_token_that_was_accepted_is_refused_after_its_end(space: Space) -> None:
    end = now() + 2
    token = space.signed(role="service_role", exp=end)
    assert space.call("GET", "/bucket/", who=token).status == 200
    while time.time() <= end + 0.1:
        time.sleep(0.1)
    assert space.call("GET", "/bucket/", who=token).refusal == EXPIRED


def test_an_unknown_role_fails_in_the_database(space: Space) -> None:
    reply = space.call("GET", "/bucket/", who=space.signed(role="no_such_role"))
    assert reply.refusal == refused("500", "DatabaseError", "database error, code: 22023", "DatabaseError", http=500)


def test_the_subject_owns_what_it_makes_if_it_is_a_uuid(space: Space, fresh: str) -> None:
    person = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    token = space.signed(role="service_role", sub=person)
    space.call("POST", "/bucket/", data={"name": fresh}, who=token)
    assert space.call("GET", f"/bucket/{fresh}").json()["owner"] == person
    space.call("POST", f"/object/{fresh}/a", data=b"a", who=token)
    space.call("POST", f"/object/{fresh}/b", data=b"b", who=space.signed(role="service_role", sub="robot"))
    rows = {row["name"]: row for row in space.call("DELETE", f"/object/{fresh}", data={"prefixes": ["a", "b"]}).json()}
    assert (rows["a"]["owner"], rows["a"]["owner_id"]) == (person, person)
    assert (rows["b"]["owner"], rows["b"]["owner_id"]) == ("", "robot")


@pytest.mark.parametrize("role", ["anon", "authenticated"])
def test_without_policies_other_roles_see_and_change_nothing(space: Space, bucket: str, role: str) -> None:
    space.put(bucket, "there")
    token = space.signed(role=role)

    def call(method: str, path: str, data: object = None) -> Any:
        reply = space.call(method, path, data=data, who=token)
        return reply.json() if reply.status == 200 else reply.refusal

    assert call("POST", "/bucket/", {"name": "another"}) == ROW_POLICY
    assert call("GET", "/bucket/") == []
    assert call("GET", f"/bucket/{bucket}") == NO_BUCKET
    assert call("PUT", f"/bucket/{bucket}", {"public": True}) == NO_BUCKET
    wrong_role = refused("403", "Unauthorized", "Access denied: Invalid role", "AccessDenied", http=403)
    assert call("POST", f"/bucket/{bucket}/empty") == wrong_role
    full = refused("409", "ResourceNotEmpty", "The bucket you tried to delete is not empty", "ResourceNotEmpty")
    assert call("DELETE", f"/bucket/{bucket}") == full
    assert call("DELETE", f"/object/{bucket}/there") == refused("403", "Unauthorized", "Access denied", "AccessDenied")
    assert call("DELETE", f"/object/{bucket}", {"prefixes": ["there"]}) == []
    assert call("POST", f"/object/{bucket}/new", b"x") == ROW_POLICY
    assert call("PUT", f"/object/{bucket}/there", b"x") == ROW_POLICY
    assert call("POST", "/object/move", {"bucketId": bucket, "sourceKey": "there", "destinationKey": "x"}) == NO_OBJECT
    assert call("POST", "/object/copy", {"bucketId": bucket, "sourceKey": "there", "destinationKey": "x"}) == NO_OBJECT
    assert call("POST", f"/object/list/{bucket}", {"prefix": ""}) == []
    assert call("POST", f"/object/sign/{bucket}/there", {"expiresIn": 60}) == NO_OBJECT
    (item,) = call("POST", f"/object/sign/{bucket}", {"expiresIn": 60, "paths": ["there"]})
    assert item["error"] == "Either the object does not exist or you do not have access to it"
    assert call("GET", f"/object/authenticated/{bucket}/there") == NO_OBJECT
    assert call("GET", f"/object/info/authenticated/{bucket}/there") == NO_OBJECT
    assert space.read(bucket, "there") == b"x"


def test_a_key_that_may_only_add_objects_sees_and_replaces_none(space: Space, bucket: str) -> None:
    token = space.signed(role="authenticated", policies="insert")
    assert space.call("POST", f"/object/{bucket}/new", data=b"x", who=token).status == 200
    assert space.read(bucket, "new") == b"x"
    assert space.call("PUT", f"/object/{bucket}/new", data=b"y", who=token).refusal == ROW_POLICY
    assert space.call("GET", f"/object/authenticated/{bucket}/new", who=token).refusal == NO_OBJECT
    assert space.call("POST", f"/object/list/{bucket}", data={"prefix": ""}, who=token).json() == []


def test_the_deprecated_download_treats_a_bad_token_like_none(space: Space, bucket: str, public: str) -> None:
    space.put(bucket, "a")
    space.put(public, "a")
    for token in (None, "garbage", space.signed(role="service_role", exp=now() - 10)):
        assert space.call("GET", f"/object/{bucket}/a", who=token).refusal == NO_BUCKET
        assert space.call("GET", f"/object/info/{bucket}/a", who=token).refusal == NO_BUCKET
        assert space.call("GET", f"/object/{public}/a", who=token).body == b"x"
        assert space.call("GET", f"/object/info/{public}/a", who=token).status == 200
    assert space.call("GET", f"/object/{bucket}/a").body == b"x"
    assert space.call("GET", f"/object/authenticated/{public}/a", who="anon").body == b"x"
    assert space.call("GET", f"/object/authenticated/{public}/a", who=space.signed(role="anon", exp=1)).refusal == EXPIRED


def test_another_project_s_token_is_refused(space: Space) -> None:
    other = jwt.encode({"role": "service_role"}, space.secret[::-1], algorithm="HS256")
    assert space.call("GET", "/bucket/", who=other).refusal[3] == "signature verification failed"


def test_by_default_the_query_is_read_where_there_is_no_header(space: Space) -> None:
    assert space.call("GET", f"/bucket/?authorization=Bearer%20{space.service}", who=None).status == 200
    assert space.call("GET", "/bucket/?authorization=zzz", who=None).refusal == GARBAGE
    assert space.call("GET", "/bucket/?authorization=zzz").status == 200


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Space]]:
    folders: dict[str, Path] = {way: tmp_path_factory.mktemp(way) for way in ("header", "query")}
    spaces = {way: open_space(folder, "--authorization", way) for way, folder in folders.items()}
    yield spaces
    for one in spaces.values():
        stop_sandbox(one.sandbox)


def test_one_that_reads_the_header_ignores_the_query(placed: dict[str, Space]) -> None:
    space = placed["header"]
    assert space.call("GET", "/bucket/").status == 200
    assert space.call("GET", f"/bucket/?authorization=Bearer%20{space.service}", who=None).refusal == NO_HEADER


def test_one_that_reads_the_query_ignores_the_header(placed: dict[str, Space]) -> None:
    space = placed["query"]
    assert space.call("GET", "/bucket/").refusal == invalid("querystring must have required property 'authorization'")
    query = "authorization=" + quote(f"Bearer {space.service}")
    assert space.call("GET", f"/bucket/?{query}", who=None).status == 200
    assert space.call("POST", f"/bucket/?{query}", who=None, data={"name": "b"}).status == 200
    assert space.call("POST", f"/object/b/k?{query}", who=None, data=b"bytes").status == 200
    assert space.call("GET", f"/object/authenticated/b/k?{query}", who=None).body == b"bytes"
    assert space.call("GET", f"/object/b/k?{query}", who=None).body == b"bytes"
