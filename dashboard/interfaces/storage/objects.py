"""Objects, S7 to S13 and S17 to S21."""

import base64
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from dashboard.interfaces import errors
from dashboard.interfaces.names import key_problem, suggest_key, suggest_upload, upload_problem
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.records import FreeForm, decode
from dashboard.interfaces.storage.buckets import Message
from dashboard.interfaces.storage.records import Copied, ObjectInfo, Stored, StoredObject, info_from_headers, iso
from dashboard.interfaces.transport import Ask, ObjectStream, Part
from dashboard.interfaces.transport.bodies import SizedReader

SortColumn = Literal["name", "updated_at", "created_at", "last_accessed_at"]


class Objects(Part):
    def delete(self, bucket: str, key: str) -> str:
        """S7 · DELETE /object/{bucketName}/{wildcard}

        Delete one object and return the service's message. NotFound if there is no such object or bucket.
        """
        return self._transport.fetch(Ask("S7", _names(bucket, key)), Message).message

    def delete_many(self, bucket: str, keys: Sequence[str]) -> list[StoredObject]:
        """S8 · DELETE /object/{bucketName}

        Delete the objects of these keys, 1 to 1000, and return those that were deleted, in no guaranteed order. Missing objects,
        and those that the token may not delete, are left out.
        """
        # not shown: the body. The keys are exact, despite the member's name.
        return self._transport.fetch(Ask("S8", {"bucketName": bucket}, json={"prefixes": list(keys)}), list[StoredObject])

    def upload(
        self,
        bucket: str,
        key: str,
        body: bytes | SizedReader,
        *,
        content_type: str,
        cache_control: str | None = None,
        metadata: Mapping[str, object] | None = None,
        upsert: bool = False,
    ) -> Stored:
        """S9 · POST /object/{bucketName}/{wildcard}

        Store a new object. `body` is streamed with its length; an exception of its reader is raised unchanged, and nothing is
        stored. `cache_control` as in the header ("max-age=3600"). Older services drop `metadata`, which the uploader sets.
        Conflict if the key exists and `upsert` is False, NameRefused for an invalid key, TooLarge for a size or type that the
        bucket refuses, NotFound if there is no such bucket.
        """
        headers = _headers(content_type, cache_control) | _metadata(metadata) | ({"x-upsert": "true"} if upsert else {})
        return self._store("S9", bucket, key, body, headers)

    def replace(
        self,
        bucket: str,
        key: str,
        body: bytes | SizedReader,
        *,
        content_type: str,
        cache_control: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> Stored:
        """S10 · PUT /object/{bucketName}/{wildcard}

        Replace the object of this key. If it is missing, today's service creates it and older ones answer NotFound. Otherwise as
        `upload`.
        """
        return self._store("S10", bucket, key, body, _headers(content_type, cache_control) | _metadata(metadata))

    def move(self, bucket: str, source: str, destination: str, *, destination_bucket: str | None = None) -> str:
        """S11 · POST /object/move

        Move an object and return the service's message. Conflict if the destination exists: it is never overwritten. Older
        services ignore `destination_bucket` and move within the bucket, so check where the object is.
        """
        body = _pair("S11", bucket, source, destination, destination_bucket)
        return self._transport.fetch(Ask("S11", json=body), Message).message

    def copy(
        self, bucket: str, source: str, destination: str, *, destination_bucket: str | None = None, upsert: bool = False
    ) -> str:
        """S12 · POST /object/copy

        Copy an object and return its new bucket and key ("photos/a.jpg"). Conflict if the destination exists and `upsert` is
        False. Older services ignore `destination_bucket` and `upsert`, so check the returned bucket.
        """
        body = _pair("S12", bucket, source, destination, destination_bucket)
        headers = {"x-upsert": "true"} if upsert else {}
        return self._transport.fetch(Ask("S12", json=body, headers=headers), Copied).key

    def relabel(
        self, bucket: str, key: str, *, content_type: str, cache_control: str, metadata: Mapping[str, object] | None
    ) -> str:
        """S12 · POST /object/copy

        Copy an object onto itself with another type and Cache-Control, and return its bucket and key. Conflict from an older
        service, and others may ignore the new values: read them back.
        """
        # not shown: the members for new values, and that a copy onto itself takes them.
        labels = {"mimetype": content_type, "cacheControl": cache_control}
        body = {**_pair("S12", bucket, key, key, None), "copyMetadata": False, "metadata": labels}
        headers = {"x-upsert": "true"} | _metadata(metadata)
        return self._transport.fetch(Ask("S12", json=body, headers=headers), Copied).key

    def all(
        self,
        bucket: str,
        *,
        prefix: str = "",
        limit: int = 100,
        offset: int = 0,
        sort_by: SortColumn = "name",
        order: Literal["asc", "desc"] = "asc",
        search: str = "",
    ) -> list[StoredObject]:
        """S13 · POST /object/list/{bucketName}

        Return a page of the folder `prefix` ("" is the root): objects and folders, with names relative to it. `limit` 1 to 1500
        rows; folders count. `search` is the beginning of a name, whatever the case, or with a slash of a path below the prefix,
        which today's service returns as stored. An unknown bucket, or one that the token may not read, gives an empty list.
        """
        # not shown: the body, and what `search` may hold.
        body = {
            "prefix": prefix,
            "limit": limit,
            "offset": offset,
            "sortBy": {"column": sort_by, "order": order},
            "search": search,
        }
        return self._transport.fetch(Ask("S13", {"bucketName": bucket}, json=body), list[StoredObject])

    def get(self, bucket: str, key: str, *, headers: Mapping[str, str] | None = None) -> ObjectStream:
        """S17 · GET /object/{bucketName}/{wildcard}

        Deprecated by the document; use `read`. Return an object's bytes.
        """
        return self._open("S17", bucket, key, headers)

    def read(self, bucket: str, key: str, *, headers: Mapping[str, str] | None = None) -> ObjectStream:
        """S18 · GET /object/authenticated/{bucketName}/{wildcard}

        Return an object's bytes. `headers` may contain Range, If-None-Match and If-Modified-Since. NotFound if the object doesn't
        exist or the token may not read it, Rejected with status 416 for a range outside the object.
        """
        return self._open("S18", bucket, key, headers)

    def info(self, bucket: str, key: str) -> ObjectInfo:
        """S19 · GET /object/info/authenticated/{bucketName}/{wildcard}

        Return an object's details. Older services send headers only, so everything but the name may be None.
        """
        return self._info("S19", bucket, key)

    def read_public(self, bucket: str, key: str, *, headers: Mapping[str, str] | None = None) -> ObjectStream:
        """S20 · GET /object/public/{bucketName}/{wildcard}

        Return the bytes of an object in a public bucket, without a credential. A private bucket is NotFound, too.
        """
        return self._open("S20", bucket, key, headers)

    def info_public(self, bucket: str, key: str) -> ObjectInfo:
        """S21 · GET /object/info/public/{bucketName}/{wildcard}

        Return the details of an object in a public bucket, without a credential; as `info`.
        """
        return self._info("S21", bucket, key)

    def _store(self, operation: str, bucket: str, key: str, body: bytes | SizedReader, headers: Mapping[str, str]) -> Stored:
        if problem := upload_problem(key, len(body)):
            suggestion = suggest_upload(key, len(body))
            raise errors.NameRefused(problem, operation=operation, service="storage", suggestion=suggestion)
        _check_bucket(operation, bucket)
        answer = self._transport.answer(Ask(operation, _names(bucket, key), body=body, headers=headers))
        stored = decode(answer, Stored, operation=OPERATIONS[operation])
        return msgspec.structs.replace(stored, date_text=iso(answer.headers.get("date")))

    def _open(self, operation: str, bucket: str, key: str, headers: Mapping[str, str] | None) -> ObjectStream:
        _check_bucket(operation, bucket)
        # No content encoding, because length and ranges must be those of the object.
        asked = {"Accept": "*/*", "Accept-Encoding": "identity", **(headers or {})}
        return self._transport.open(Ask(operation, _names(bucket, key), headers=asked, credential=operation != "S20"))

    def _info(self, operation: str, bucket: str, key: str) -> ObjectInfo:
        answer = self._transport.answer(Ask(operation, _names(bucket, key), credential=operation != "S21", body_optional=True))
        if not answer.body:
            return info_from_headers(key, answer.headers)
        info = decode(answer, ObjectInfo, operation=OPERATIONS[operation])
        known = info.__struct_encode_fields__
        told = decode(answer, FreeForm, operation=OPERATIONS[operation])
        return msgspec.structs.replace(info, others={name: value for name, value in told.items() if name not in known})


def _names(bucket: str, key: str) -> dict[str, str]:
    return {"bucketName": bucket, "wildcard": key}


def _headers(content_type: str, cache_control: str | None) -> dict[str, str]:
    return {"Content-Type": content_type} | ({} if cache_control is None else {"Cache-Control": cache_control})


def _metadata(metadata: Mapping[str, object] | None) -> dict[str, str]:
    # not shown: how an upload tells its own metadata.
    return {"x-metadata": base64.b64encode(msgspec.json.encode(metadata)).decode()} if metadata else {}


def _pair(operation: str, bucket: str, source: str, destination: str, destination_bucket: str | None) -> dict[str, str]:
    _check_key(operation, destination)
    # not shown: the body. The member for another bucket is newer, so it is sent only if needed.
    body = {"bucketId": bucket, "sourceKey": source, "destinationKey": destination}
    if destination_bucket is not None and destination_bucket != bucket:
        body["destinationBucket"] = destination_bucket
    return body


def _check_key(operation: str, key: str) -> None:
    problem = key_problem(key)
    if problem:
        raise errors.NameRefused(problem, operation=operation, service="storage", suggestion=suggest_key(key))


def _check_bucket(operation: str, bucket: str) -> None:
    if bucket in OPERATIONS[operation].request.taken:
        problem = f"The address of an object in a bucket called “{bucket}” means something else."
        raise errors.NameRefused(problem, operation=operation, service="storage")
