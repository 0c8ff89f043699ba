"""The official Python client finds nothing missing."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest
from storage3 import SyncStorageClient
from storage3.exceptions import StorageApiError
from storage3.types import CreateOrUpdateBucketOptions, FileOptions

from tests.clients.conftest import Storage

_numbers = count(1)


def connect(storage: Storage, token: str) -> SyncStorageClient:
    return SyncStorageClient(storage.url + "/", {"Authorization": f"Bearer {token}", "apikey": token}, http_client=httpx.Client())


@pytest.fixture
def client(storage: Storage) -> Iterator[SyncStorageClient]:
    with connect(storage, storage.service) as opened:
        yield opened


@pytest.fixture
def bucket(client: SyncStorageClient) -> str:
    name = f"python-{next(_numbers)}"
    client.create_bucket(name)
    return name


def refusal(error: pytest.ExceptionInfo[StorageApiError]) -> tuple[str, str, str]:
    return str(error.value.status), str(error.value.code), error.value.message


def test_buckets_are_made_read_changed_emptied_and_deleted(client: SyncStorageClient) -> None:
    options: CreateOrUpdateBucketOptions = {"public": False, "file_size_limit": 1000, "allowed_mime_types": ["text/*"]}
    made = client.create_bucket("crud", options=options)
    assert made == {"name": "crud"}
    assert "crud" in [bucket.id for bucket in client.list_buckets()]
    found = client.get_bucket("crud")
    assert (found.id, found.name, found.owner, found.public) == ("crud", "crud", "", False)
    assert (found.file_size_limit, found.allowed_mime_types) == (1000, ["text/*"])
    assert client.update_bucket("crud", {"public": True}) == {"message": "Successfully updated"}
    assert client.get_bucket("crud").public
    assert client.get_bucket("crud").file_size_limit == 1000
    client.from_("crud").upload("a.txt", b"a", {"content-type": "text/plain"})
    with pytest.raises(StorageApiError) as error:
        client.delete_bucket("crud")
    assert refusal(error) == ("409", "ResourceNotEmpty", "The bucket you tried to delete is not empty")
    assert client.empty_bucket("crud")["message"].startswith("Empty bucket has been queued")
    assert client.from_("crud").list() == []
    assert client.delete_bucket("crud") == {"message": "Successfully deleted"}
    with pytest.raises(StorageApiError) as error:
        client.get_bucket("crud")
    assert refusal(error) == ("404", "Bucket not found", "Bucket not found")


def test_objects_are_uploaded_replaced_and_downloaded(client: SyncStorageClient, bucket: str, tmp_path: Path) -> None:
    shelf = client.from_(bucket)
    label: FileOptions = {"content-type": "image/png", "cache-control": "60", "metadata": {"from": "here"}}
    made = shelf.upload("folder/a b+c.png", b"first", label)
    assert (made.path, made.full_path) == ("folder/a b+c.png", f"{bucket}/folder/a b+c.png")
    info = shelf.info("folder/a b+c.png")
    assert (info["content_type"], info["cache_control"], info["metadata"]) == ("image/png", "max-age=60", {"from": "here"})
    with pytest.raises(StorageApiError) as error:
        shelf.upload("folder/a b+c.png", b"second")
    assert refusal(error) == ("409", "Duplicate", "The resource already exists")
    shelf.upload("folder/a b+c.png", b"second", {"upsert": "true"})
    assert shelf.download("folder/a b+c.png") == b"second"
    shelf.update("folder/a b+c.png", b"third")
    assert shelf.download("folder/a b+c.png") == b"third"
    file = tmp_path / "large"
    file.write_bytes(bytes(range(256)) * 20_000)
    shelf.upload("from/disk", file)
    with file.open("rb") as opened:
        shelf.upload("from/handle", opened)
    assert shelf.download("from/disk") == shelf.download("from/handle") == file.read_bytes()


def test_what_exists_is_told_from_what_does_not(client: SyncStorageClient, bucket: str) -> None:
    shelf = client.from_(bucket)
    shelf.upload("here", b"")
    assert shelf.exists("here")
    assert not shelf.exists("nowhere")
    with pytest.raises(StorageApiError) as error:
        shelf.download("nowhere")
    assert refusal(error) == ("404", "not_found", "Object not found")
    with pytest.raises(StorageApiError) as error:
        client.from_("no-bucket").exists("here")
    assert refusal(error) == ("404", "Bucket not found", "Bucket not found")


def test_folders_are_listed_with_paging_order_and_search(client: SyncStorageClient, bucket: str) -> None:
    shelf = client.from_(bucket)
    for key in ("b.txt", "A.txt", "docs/one", "docs/two"):
        shelf.upload(key, b"x")
    assert [row["name"] for row in shelf.list()] == ["A.txt", "b.txt", "docs"]
    assert [row["name"] for row in shelf.list(options={"sortBy": {"order": "desc"}})] == ["docs", "b.txt", "A.txt"]
    assert [row["name"] for row in shelf.list("docs", {"limit": 1, "offset": 1})] == ["two"]
    assert [row["name"] for row in shelf.list("docs", {"search": "o"})] == ["one"]
    assert [row["name"] for row in shelf.list(options={"sortBy": {"column": "created_at"}})] == ["docs", "b.txt", "A.txt"]


def test_objects_are_moved_copied_and_removed(client: SyncStorageClient, bucket: str) -> None:
    shelf = client.from_(bucket)
    shelf.upload("a", b"bytes")
    assert shelf.move("a", "deep/b") == {"message": "Successfully moved"}
    assert shelf.copy("deep/b", "c")["Key"] == f"{bucket}/c"
    with pytest.raises(StorageApiError) as error:
        shelf.move("c", "deep/b")
    assert refusal(error) == ("409", "Duplicate", "The resource already exists")
    assert sorted(row["name"] for row in shelf.remove(["c", "deep/b", "nope"])) == ["c", "deep/b"]
    assert shelf.list() == []


def test_links_open_without_a_token(client: SyncStorageClient, bucket: str) -> None:
    shelf = client.from_(bucket)
    shelf.upload("folder/a b.txt", b"hello world")
    signed = shelf.create_signed_url("folder/a b.txt", 60, {"download": "named.txt"})["signedURL"]
    reply = httpx.get(str(signed))
    assert (reply.status_code, reply.content) == (200, b"hello world")
    assert reply.headers["content-disposition"].startswith("attachment; filename=named.txt")
    assert httpx.get(str(signed), headers={"Range": "bytes=0-4"}).content == b"hello"
    items = shelf.create_signed_urls(["folder/a b.txt", "nope"], 60)
    assert [(item["path"], item["error"]) for item in items] == [
        ("folder/a b.txt", None),
        ("nope", "Either the object does not exist or you do not have access to it"),
    ]
    assert httpx.get(str(items[0]["signedURL"])).content == b"hello world"


def test_public_addresses_open_for_everybody(client: SyncStorageClient, bucket: str) -> None:
    client.update_bucket(bucket, {"public": True})
    client.from_(bucket).upload("a b", b"public")
    assert httpx.get(client.from_(bucket).get_public_url("a b")).content == b"public"


def test_a_weaker_key_sees_nothing(storage: Storage, client: SyncStorageClient, bucket: str) -> None:
    client.from_(bucket).upload("a", b"x")
    with connect(storage, storage.anon) as weak:
        assert weak.list_buckets() == []
        assert weak.from_(bucket).list() == []
        with pytest.raises(StorageApiError) as error:
            weak.from_(bucket).upload("b", b"x")
    assert refusal(error) == ("403", "Unauthorized", "new row violates row-level security policy")
    with connect(storage, "garbage") as broken, pytest.raises(StorageApiError) as error:
        broken.list_buckets()
    assert refusal(error) == ("403", "Unauthorized", "Invalid Compact JWS")


def test_limits_are_told(client: SyncStorageClient) -> None:
    client.create_bucket("limited", options={"file_size_limit": 10, "allowed_mime_types": ["image/png"]})
    with pytest.raises(StorageApiError) as error:
        client.from_("limited").upload("big", b"x" * 11, {"content-type": "image/png"})
    assert refusal(error) == ("413", "Payload too large", "The object exceeded the maximum allowed size")
    with pytest.raises(StorageApiError) as error:
        client.from_("limited").upload("text", b"x", {"content-type": "text/plain"})
    assert refusal(error) == ("415", "invalid_mime_type", "mime type text/plain is not supported")
