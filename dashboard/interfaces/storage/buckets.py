"""Buckets, S1 to S6."""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final

from msgspec import field

from dashboard.interfaces import errors
from dashboard.interfaces.names import bucket_name_problem
from dashboard.interfaces.records import Record, moment
from dashboard.interfaces.transport import Ask, Part


class Keep(Enum):
    """The type of `KEEP`."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP
"""Leave this property unchanged."""


class Bucket(Record, frozen=True):
    """A bucket; paths take its `id`. `file_size_limit` (bytes) and `allowed_mime_types` are newer; None is no limit."""

    id: str
    name: str
    owner: str | None = None
    public: bool | None = None
    created_text: str | None = field(name="created_at", default=None)
    updated_text: str | None = field(name="updated_at", default=None)
    file_size_limit: int | None = None
    allowed_mime_types: list[str] | None = None

    @property
    def is_public(self) -> bool:
        # not shown: the default of `public`; a bucket is private unless told otherwise.
        return self.public is True

    @property
    def created_at(self) -> datetime | None:
        return moment(self.created_text)

    @property
    def updated_at(self) -> datetime | None:
        return moment(self.updated_text)


class _Named(Record, frozen=True):
    name: str


class Message(Record, frozen=True):
    """The service's message about a change."""

    message: str = ""


class Buckets(Part):
    def create(
        self,
        name: str,
        *,
        public: bool = False,
        file_size_limit: int | None = None,
        allowed_mime_types: Sequence[str] | None = None,
    ) -> str:
        """S1 · POST /bucket/

        Create a bucket and return its name, which is its id too. `file_size_limit` in bytes; MIME types as "type/subtype" or
        "type/*". NameRefused for an invalid name, Conflict for one that is taken, TooLarge for a limit above the service's own.
        """
        problem = bucket_name_problem(name)
        if problem:
            raise errors.NameRefused(problem, operation="S1", service="storage")
        # not shown: the body. `id` is required by the oldest services; newer members are only sent when they are set.
        body: dict[str, Any] = {"id": name, "name": name, "public": public}
        if file_size_limit is not None:
            body["file_size_limit"] = file_size_limit
        if allowed_mime_types is not None:
            body["allowed_mime_types"] = list(allowed_mime_types)
        return self._transport.fetch(Ask("S1", json=body), _Named).name

    def all(self) -> list[Bucket]:
        """S2 · GET /bucket/

        Return the buckets that the token may see, in no guaranteed order. A token without access gets an empty list.
        """
        return self._transport.fetch(Ask("S2"), list[Bucket])

    def empty(self, bucket_id: str) -> str:
        """S3 · POST /bucket/{bucketId}/empty

        Delete the bucket's objects and return the service's message; it may still be deleting after the answer. NotFound if there
        is no such bucket, NotAllowed without the service role, Conflict for too many objects.
        """
        return self._transport.fetch(Ask("S3", {"bucketId": bucket_id}), Message).message

    def get(self, bucket_id: str) -> Bucket:
        """S4 · GET /bucket/{bucketId}

        Return one bucket. NotFound if it doesn't exist or the token may not see it.
        """
        return self._transport.fetch(Ask("S4", {"bucketId": bucket_id}), Bucket)

    def update(
        self,
        bucket_id: str,
        *,
        public: bool,
        file_size_limit: int | Keep | None = KEEP,
        allowed_mime_types: Sequence[str] | Keep | None = KEEP,
    ) -> str:
        """S5 · PUT /bucket/{bucketId}

        Change a bucket's properties and return the service's message. None removes a limit, KEEP (the default) leaves it.
        NotFound if there is no such bucket, or without the right to change it.
        """
        # not shown: the body. `public` always goes along: it is all that the oldest services know, and an empty body is refused.
        body: dict[str, Any] = {"public": public}
        if not isinstance(file_size_limit, Keep):
            body["file_size_limit"] = file_size_limit
        if not isinstance(allowed_mime_types, Keep):
            body["allowed_mime_types"] = None if allowed_mime_types is None else list(allowed_mime_types)
        return self._transport.fetch(Ask("S5", {"bucketId": bucket_id}, json=body), Message).message

    def delete(self, bucket_id: str) -> str:
        """S6 · DELETE /bucket/{bucketId}

        Delete a bucket and return the service's message. Conflict if it contains objects, NotFound if there is no such bucket.
        """
        return self._transport.fetch(Ask("S6", {"bucketId": bucket_id}), Message).message
