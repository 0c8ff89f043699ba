"""S1 to S6."""

from typing import Any

import pytest

from tests.sandbox.storage.asking import BAD_NAME, NO_BUCKET, TOO_LARGE, Space, duplicate, invalid, refused

PATTERN = r'"^[0-9]+(?:\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$"'
FINITE = 'must pass "finite" keyword validation'


def bad_size(*complaints: str) -> str:
    """Today's service names each form that the limit could have had."""
    return ", ".join(f"body/file_size_limit {complaint}" for complaint in (*complaints, "must match a schema in anyOf"))


QUEUED = {"message": "Empty bucket has been queued. Completion may take up to an hour."}


def record(space: Space, bucket: str) -> dict[str, Any]:
    found: dict[str, Any] = space.call("GET", f"/bucket/{bucket}").json()
    return found


def test_a_new_bucket_is_private_and_without_limits(space: Space, fresh: str) -> None:
    assert space.call("POST", "/bucket/", data={"name": fresh}).json() == {"name": fresh}
    reply = record(space, fresh)
    assert list(reply) == [
        "id", "name", "owner", "public", "file_size_limit", "allowed_mime_types", "created_at", "updated_at",
    ]  # fmt: skip
    made = reply.pop("created_at")
    assert len(made) == 24
    assert made.endswith("Z")
    assert reply == {
        "id": fresh, "name": fresh, "owner": "", "public": False, "file_size_limit": None, "allowed_mime_types": None,
        "updated_at": made,
    }  # fmt: skip


def test_it_is_found_by_its_id(space: Space, fresh: str) -> None:
    space.create(f"{fresh}-name", id=fresh)
    assert record(space, fresh)["name"] == f"{fresh}-name"
    assert space.call("GET", f"/bucket/{fresh}-name").refusal == NO_BUCKET
    assert space.call("POST", "/bucket/", data={"name": f"{fresh}-name", "id": "b"}).refusal == duplicate("BucketAlreadyExists")
    assert space.call("POST", "/bucket/", data={"name": "b", "id": fresh}).refusal == duplicate("BucketAlreadyExists")


@pytest.mark.parametrize("name", ["a" * 100, "x..y", "..", "it's (a) & b!", "A_b$c@d=e;f:g+h,i?j-k*", "9"])
def test_it_takes_every_name_of_the_alphabet(space: Space, name: str) -> None:
    assert space.call("POST", "/bucket", data={"name": name}).json() == {"name": name}
    assert any(row["id"] == name for row in space.call("GET", "/bucket").json())


@pytest.mark.parametrize(
    "name",
    [
        "",
        " lead",
        "trail ",
        "a" * 101,
        "ü",
        "~x",
        "x--table-s3",
        "a\nb",
        None,
        "\ud800",
        *(f"a{sign}b" for sign in '/%#"\\[]<>{}|^`'),
    ],
)
def test_it_refuses_every_other_name(space: Space, name: str | None) -> None:
    assert space.call("POST", "/bucket/", data={"name": name}).refusal == BAD_NAME


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"public": True}, "body must have required property 'name'"),
        ({"name": "demo-x", "public": "yes"}, "body/public must be boolean"),
        ({"name": "demo-x", "file_size_limit": -1}, bad_size("must be >= 0", f"must match pattern {PATTERN}")),
        ({"name": "demo-x", "file_size_limit": 1.5}, bad_size("must be integer", f"must match pattern {PATTERN}")),
        ({"name": "demo-x", "file_size_limit": "5XB"}, bad_size("must be integer", FINITE, f"must match pattern {PATTERN}")),
        ({"name": "demo-x", "file_size_limit": {}}, bad_size("must be integer", FINITE, "must be string")),
        ({"name": {}}, "body/name must be string"),
        ({"name": "demo-x", "type": "OTHER"}, "body/type must be equal to one of the allowed values"),
        ([], "body must be object"),
        ("text", "body must be object"),
        (7, "body must be object"),
    ],
)
def test_it_names_what_is_wrong_with_a_body(space: Space, body: object, complaint: str) -> None:
    assert space.call("POST", "/bucket/", data=body).refusal == invalid(complaint)


def test_a_body_needs_its_content_type(space: Space) -> None:
    assert space.call("POST", "/bucket/", data=b'{"name":"zz"}').refusal == invalid("body must be object")
    broken = "Body is not valid JSON but content-type is set to 'application/json'"
    empty = "Body cannot be empty when content-type is set to 'application/json'"
    for data, message in ((b"{oops", broken), (b"", empty), (b"[" * 100_000, broken), (b"NaN", broken), (b"\xff", broken)):
        reply = space.call("POST", "/bucket/", data=data, Content_Type="application/json")
        assert reply.refusal == refused("400", "FastifyError", message, "InvalidRequest")


def test_a_json_body_ends_at_one_mebibyte(space: Space, bucket: str) -> None:
    reply = space.call("POST", f"/object/list/{bucket}", data={"prefix": "", "x": "y" * (1 << 20)})
    assert reply.refusal == refused("413", "FastifyError", "Request body is too large", "EntityTooLarge", http=413)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("5MB", 5_000_000), ("1.5kb", 1500), ("1234", 1234), (77, 77), ("12b", 12), (0, 0), (None, None), ("1.2345kb", 1230)],
)
def test_a_size_limit_may_be_written_with_a_unit(space: Space, fresh: str, given: object, kept: int | None) -> None:
    space.create(fresh, file_size_limit=given)
    assert record(space, fresh)["file_size_limit"] == kept


def test_a_limit_above_that_of_the_whole_service_is_refused(space: Space, bucket: str) -> None:
    assert space.call("POST", "/bucket/", data={"name": "demo-l", "file_size_limit": 10**13}).refusal == TOO_LARGE
    assert space.call("PUT", f"/bucket/{bucket}", data={"file_size_limit": 10**14}).refusal == TOO_LARGE


def test_media_types_are_checked_when_a_bucket_is_made(space: Space, fresh: str) -> None:
    refusal = refused("415", "invalid_mime_type", "mime type image is not supported", "InvalidMimeType")
    assert space.call("POST", "/bucket/", data={"name": fresh, "allowed_mime_types": ["image"]}).refusal == refusal
    types = ["image/png", "text/*", "*/*", "*", "text/plain; charset=utf-8", "application/vnd.oasis.opendocument.text"]
    space.create(fresh, allowed_mime_types=["", *types])
    assert record(space, fresh)["allowed_mime_types"] == types


def test_buckets_are_listed_with_paging_order_and_search(space: Space, fresh: str) -> None:
    for letter in "bca":
        space.create(f"{fresh}-List-{letter}")

    def names(query: str) -> list[str]:
        return [row["name"].removeprefix(fresh) for row in space.call("GET", f"/bucket/?search={fresh}-list&{query}").json()]

    assert sorted(names("")) == ["-List-a", "-List-b", "-List-c"]
    assert names("sortColumn=name") == ["-List-a", "-List-b", "-List-c"]
    assert names("sortColumn=name&sortOrder=desc&limit=1&offset=1") == ["-List-b"]
    assert names("sortColumn=created_at") == ["-List-b", "-List-c", "-List-a"]
    assert space.call("GET", "/bucket/?search=%25").json() == []
    row = space.call("GET", f"/bucket/?search={fresh}-list-a").json()[0]
    assert list(row) == [
        "id", "name", "owner", "public", "type", "file_size_limit", "allowed_mime_types", "created_at", "updated_at",
    ]  # fmt: skip
    assert row["type"] == "STANDARD"


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("limit=0", "querystring/limit must be >= 1"),
        ("limit=x", "querystring/limit must be integer"),
        ("offset=-1", "querystring/offset must be >= 0"),
        ("sortColumn=size", "querystring/sortColumn must be equal to one of the allowed values"),
        ("sortOrder=up", "querystring/sortOrder must be equal to one of the allowed values"),
    ],
)
def test_it_names_what_is_wrong_with_a_query(space: Space, query: str, complaint: str) -> None:
    assert space.call("GET", f"/bucket/?{query}").refusal == invalid(complaint)


def test_what_an_update_leaves_out_stays(space: Space, bucket: str) -> None:
    before = record(space, bucket)
    changes = {"public": True, "file_size_limit": 2048, "allowed_mime_types": ["text/plain"]}
    assert space.call("PUT", f"/bucket/{bucket}", data=changes).json() == {"message": "Successfully updated"}
    space.call("PUT", f"/bucket/{bucket}", data={"id": "other", "name": "other", "public": False})
    assert record(space, bucket) == before | changes | {"public": False}
    space.call("PUT", f"/bucket/{bucket}", data={"file_size_limit": None, "allowed_mime_types": None})
    assert record(space, bucket) == before


def test_an_update_needs_something_to_change_and_a_bucket(space: Space, bucket: str) -> None:
    missing = ", ".join(f"body must have required property '{m}'" for m in ("public", "file_size_limit", "allowed_mime_types"))
    assert space.call("PUT", f"/bucket/{bucket}", data={}).refusal == invalid(f"{missing}, body must match a schema in anyOf")
    assert space.call("PUT", "/bucket/none", data={"public": True}).refusal == NO_BUCKET


def test_a_full_bucket_is_not_deleted_until_it_is_emptied(space: Space, bucket: str) -> None:
    for key in ("a", "b/c", "b/D/e"):
        space.put(bucket, key)
    full = refused("409", "ResourceNotEmpty", "The bucket you tried to delete is not empty", "ResourceNotEmpty")
    assert space.call("DELETE", f"/bucket/{bucket}").refusal == full
    assert space.call("POST", f"/bucket/{bucket}/empty").json() == QUEUED
    assert space.rows(bucket) == []
    assert space.call("POST", f"/bucket/{bucket}/empty", data={}).json() == QUEUED
    assert space.call("DELETE", f"/bucket/{bucket}", data={}).json() == {"message": "Successfully deleted"}
    for method, path in (("DELETE", f"/bucket/{bucket}"), ("GET", f"/bucket/{bucket}"), ("POST", f"/bucket/{bucket}/empty")):
        assert space.call(method, path).refusal == NO_BUCKET


def test_there_is_no_route_with_a_slash_behind_an_id(space: Space, bucket: str) -> None:
    reply = space.call("GET", f"/bucket/{bucket}/")
    assert reply.refusal == refused("404", "Not Found", f"Route GET:/bucket/{bucket}/ not found", "InvalidRequest", http=404)


def test_head_answers_without_a_body(space: Space, bucket: str) -> None:
    whole = space.call("GET", f"/bucket/{bucket}")
    reply = space.call("HEAD", f"/bucket/{bucket}")
    assert (reply.status, reply.body, reply.headers["content-length"]) == (200, b"", str(len(whole.body)))
    reply = space.call("HEAD", "/bucket/none")
    assert (reply.status, reply.body) == (400, b"")
