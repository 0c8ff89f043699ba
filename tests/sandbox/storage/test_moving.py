"""S7, S8, S11 and S12: taking away, moving and copying."""

import base64
from typing import Any

import pytest

from tests.sandbox.storage.asking import BAD_NAME, NO_OBJECT, Space, duplicate, invalid, refused

NO_DESTINATION = refused("404", "InvalidRequest", "The related resource does not exist", "InvalidRequest")
MOVED = {"message": "Successfully moved"}


def ask(space: Space, operation: str, bucket: str, source: str, key: str, **more: Any) -> Any:
    headers = {name: more.pop(name) for name in ("x_upsert", "x_metadata") if name in more}
    body = {"bucketId": bucket, "sourceKey": source, "destinationKey": key, **more}
    reply = space.call("POST", f"/object/{operation}", data=body, **headers)
    return reply.json() if reply.status == 200 else reply.refusal


def info(space: Space, bucket: str, key: str) -> dict[str, Any]:
    found: dict[str, Any] = space.call("GET", f"/object/info/{bucket}/{key}").json()
    return found


def test_one_is_deleted_by_its_exact_key(space: Space, bucket: str) -> None:
    space.put(bucket, "folder/a")
    assert space.call("DELETE", f"/object/{bucket}/folder").refusal == NO_OBJECT
    assert space.call("DELETE", f"/object/{bucket}/folder/a").json() == {"message": "Successfully deleted"}
    assert space.call("DELETE", f"/object/{bucket}/folder/a").refusal == NO_OBJECT
    assert space.call("DELETE", "/object/none/x").refusal == NO_OBJECT
    empty = "Body cannot be empty when content-type is set to 'application/json'"
    reply = space.call("DELETE", f"/object/{bucket}/x", Content_Type="application/json")
    assert reply.refusal == refused("400", "FastifyError", empty, "InvalidRequest")


def test_several_are_deleted_and_told_of(space: Space, bucket: str) -> None:
    made = space.put(bucket, "f/a", b"hello world", x_metadata=base64.b64encode(b'{"u":1}').decode())
    space.put(bucket, "f/b")
    wish = {"prefixes": ["f/a", "nope", "f", "f/", "f/b", "f/a", "\ud800"]}
    rows = space.call("DELETE", f"/object/{bucket}", data=wish).json()
    assert sorted(row["name"] for row in rows) == ["f/a", "f/b"]
    row = next(row for row in rows if row["name"] == "f/a")
    assert list(row) == [
        "name", "bucket_id", "owner", "owner_id", "version", "id", "updated_at", "created_at", "last_accessed_at",
        "metadata", "user_metadata",
    ]  # fmt: skip
    assert (row["bucket_id"], row["id"], row["user_metadata"], row["metadata"]["size"]) == (bucket, made, {"u": 1}, 11)
    assert space.rows(bucket) == []
    assert space.call("DELETE", f"/object/{bucket}", data=wish).json() == []
    assert space.call("DELETE", "/object/none", data=wish).json() == []
    assert space.call("DELETE", "/object/no%23", data=wish).refusal == BAD_NAME


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"prefixes": []}, "body/prefixes must NOT have fewer than 1 items"),
        ({}, "body must have required property 'prefixes'"),
        (None, "body must be object"),
        ({"prefixes": [{}]}, "body/prefixes/0 must be string"),
    ],
)
def test_it_names_what_is_wrong_with_a_deletion(space: Space, bucket: str, body: object, complaint: str) -> None:
    assert space.call("DELETE", f"/object/{bucket}", data=body).refusal == invalid(complaint)


def test_a_move_keeps_what_the_object_is(space: Space, bucket: str, public: str) -> None:
    space.put(bucket, "mv/a", b"bytes", "text/css", Cache_Control="max-age=5", x_metadata=base64.b64encode(b'{"u":1}').decode())
    before = info(space, bucket, "mv/a")
    assert ask(space, "move", bucket, "mv/a", "mv/b") == MOVED
    after = info(space, bucket, "mv/b")
    assert after | {"name": "mv/a", "version": before["version"]} == before
    assert after["version"] != before["version"]
    assert ask(space, "move", bucket, "mv/b", "moved", destinationBucket=public) == MOVED
    assert space.rows(bucket) == []
    assert space.read(public, "moved") == b"bytes"


def test_a_move_never_overwrites(space: Space, bucket: str) -> None:
    space.put(bucket, "a", b"a")
    space.put(bucket, "b", b"b")
    taken = duplicate("ResourceAlreadyExists")
    assert ask(space, "move", bucket, "a", "b") == taken
    assert ask(space, "move", bucket, "a", "b", upsert=True, x_upsert="true") == taken
    assert ask(space, "move", bucket, "a", "a") == MOVED
    assert (space.read(bucket, "a"), space.read(bucket, "b")) == (b"a", b"b")


@pytest.mark.parametrize("operation", ["move", "copy"])
def test_source_and_destination_are_checked(space: Space, bucket: str, operation: str) -> None:
    space.put(bucket, "a")
    assert ask(space, operation, bucket, "nope", "x") == NO_OBJECT
    assert ask(space, operation, "none", "a", "b") == NO_OBJECT
    assert ask(space, operation, "no#", "a", "b") == BAD_NAME
    assert ask(space, operation, bucket, "a", "x", destinationBucket="none") == NO_DESTINATION
    assert ask(space, operation, bucket, "a", "ü") == refused("400", "InvalidKey", "Invalid key: ü", "InvalidKey")
    assert ask(space, operation, bucket, "a", "")[3] == "Invalid key: "
    assert ask(space, operation, bucket, "a", "x/../y")[4] == "InvalidKey"
    reply = space.call("POST", f"/object/{operation}", data={"bucketId": bucket, "sourceKey": "a"})
    assert reply.refusal == invalid("body must have required property 'destinationKey'")


@pytest.mark.parametrize("operation", ["move", "copy"])
def test_limits_of_the_destination_do_not_count(space: Space, bucket: str, fresh: str, operation: str) -> None:
    limited = space.create(f"limited-{fresh}", file_size_limit=1, allowed_mime_types=["image/png"])
    space.put(bucket, "big", b"x" * 100)
    assert not isinstance(ask(space, operation, bucket, "big", "big", destinationBucket=limited), tuple)
    assert space.read(limited, "big") == b"x" * 100


def test_a_copy_is_an_object_of_its_own(space: Space, bucket: str) -> None:
    space.put(bucket, "a", b"bytes", "text/css", Cache_Control="max-age=5", x_metadata=base64.b64encode(b'{"u":1}').decode())
    made = ask(space, "copy", bucket, "a", "cp/a")
    assert list(made) == [
        "Key", "Id", "name", "bucket_id", "owner", "owner_id", "version", "id", "updated_at", "created_at",
        "last_accessed_at", "metadata", "user_metadata",
    ]  # fmt: skip
    assert (made["Key"], made["Id"], made["name"]) == (f"{bucket}/cp/a", made["id"], "cp/a")
    old, new = info(space, bucket, "a"), info(space, bucket, "cp/a")
    same = ("size", "content_type", "cache_control", "etag", "metadata")
    assert [old[member] for member in same] == [new[member] for member in same]
    assert old["id"] != new["id"]
    space.call("DELETE", f"/object/{bucket}/a")
    assert space.read(bucket, "cp/a") == b"bytes"


def test_a_copy_may_be_labelled_anew(space: Space, bucket: str) -> None:
    space.put(bucket, "a", b"bytes", "text/css", Cache_Control="max-age=5", x_metadata=base64.b64encode(b'{"u":1}').decode())
    new = base64.b64encode(b'{"new":"md"}').decode()
    label = {"cacheControl": "max-age=1", "mimetype": "text/markdown"}
    ask(space, "copy", bucket, "a", "m", copyMetadata=False, metadata=label, x_metadata=new)
    ask(space, "copy", bucket, "a", "n", copyMetadata=False)
    ask(space, "copy", bucket, "a", "o", metadata=label, x_metadata=new)
    rows = {key: info(space, bucket, key) for key in "mno"}
    kept = {key: (row["content_type"], row["cache_control"], row["metadata"]) for key, row in rows.items()}
    assert kept == {
        "m": ("text/markdown", "max-age=1", {"new": "md"}),
        "n": ("text/css", "max-age=5", {}),
        "o": ("text/css", "max-age=5", {"u": 1}),
    }


def test_a_copy_overwrites_only_when_told_so(space: Space, bucket: str) -> None:
    space.put(bucket, "a", b"new")
    old = space.put(bucket, "b", b"old")
    assert ask(space, "copy", bucket, "a", "b") == duplicate("KeyAlreadyExists")
    assert ask(space, "copy", bucket, "a", "a") == duplicate("KeyAlreadyExists")
    assert space.read(bucket, "b") == b"old"
    assert ask(space, "copy", bucket, "a", "b", x_upsert="true")["Id"] == old
    assert space.read(bucket, "b") == b"new"
    ask(space, "copy", bucket, "a", "a", x_upsert="true")
    assert space.read(bucket, "a") == b"new"
