"""Records of buckets and objects."""

from typing import NamedTuple

from dashboard.sandbox import generations
from dashboard.sandbox.generations import iso
from dashboard.sandbox.storage.models import Bucket, Entry

Record = dict[str, object]


class Line(NamedTuple):
    """The stored columns of a row of S13; the identifier has no dashes."""

    kind: int
    name: str
    key: str | None
    object_id: str
    etag: str
    size: int
    mimetype: str
    cache_control: str
    robots_tag: str
    created_at: int
    updated_at: int
    written_at: int


def bucket_record(bucket: Bucket, *, with_type: bool = False) -> Record:
    """Return a bucket's record (S4); S2 adds `type`."""
    members = {
        "id": bucket.identifier,
        "name": bucket.name,
        "owner": bucket.owner,
        "public": bucket.public,
        **({"type": "STANDARD"} if with_type else {}),
        "file_size_limit": bucket.file_size_limit,
        "allowed_mime_types": bucket.allowed_mime_types,
        "created_at": iso(bucket.created_at),
        "updated_at": iso(bucket.updated_at),
    }
    return generations.record(members, "type", "file_size_limit", "allowed_mime_types")


def metadata(entry: Entry | Line) -> Record:
    """Return the metadata of the content (S8, S12, S13); the ETag keeps its quotes."""
    return {
        "eTag": f'"{entry.etag}"',
        "size": entry.size,
        "mimetype": entry.mimetype,
        "cacheControl": entry.cache_control,
        "lastModified": iso(entry.written_at),
        "contentLength": entry.size,
        "httpStatusCode": 200,
        **({"xRobotsTag": entry.robots_tag} if entry.robots_tag else {}),
    }


def object_record(entry: Entry, bucket: Bucket) -> Record:
    """Return a full object record (S8, S12)."""
    created = iso(entry.created_at)
    members = {
        "name": entry.key,
        "bucket_id": bucket.identifier,
        "owner": entry.owner,
        "owner_id": entry.owner_id,
        "version": str(entry.version),
        "id": str(entry.object_id),
        "updated_at": iso(entry.updated_at),
        "created_at": created,
        "last_accessed_at": created,
        "metadata": metadata(entry),
        "user_metadata": entry.user_metadata,
    }
    return generations.record(members, "owner_id", "version", "user_metadata")


def listed_record(entry: Entry | Line, name: str) -> Record:
    """Return an object's row of S13."""
    created, number = iso(entry.created_at), str(entry.object_id)
    if isinstance(entry, Line):
        number = f"{number[:8]}-{number[8:12]}-{number[12:16]}-{number[16:20]}-{number[20:]}"
    return {
        "name": name,
        "id": number,
        "updated_at": iso(entry.updated_at),
        "created_at": created,
        "last_accessed_at": created,
        "metadata": metadata(entry),
    }


def listed_folder(name: str) -> Record:
    """Return a folder's row of S13, which has only a name."""
    return {
        "name": name,
        "id": None,
        "updated_at": None,
        "created_at": None,
        "last_accessed_at": None,
        "metadata": None,
    }


def info_record(entry: Entry, bucket: Bucket) -> Record:
    """Return an object's details (S19, S21); here `metadata` is what the uploader set."""
    return {
        "id": str(entry.object_id),
        "name": entry.key,
        "version": str(entry.version),
        "bucket_id": bucket.identifier,
        "size": entry.size,
        "content_type": entry.mimetype,
        "cache_control": entry.cache_control,
        "etag": f'"{entry.etag}"',
        "metadata": entry.user_metadata,
        "last_modified": iso(entry.written_at),
        "created_at": iso(entry.created_at),
    }
