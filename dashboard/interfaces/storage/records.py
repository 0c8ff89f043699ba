"""Records of objects."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from msgspec import field

from dashboard.interfaces.records import FreeForm, Record, moment
from dashboard.interfaces.storage.buckets import Bucket


class StoredObject(Record, frozen=True):
    """An object, or a listed folder, which has only a name. Listed names are relative to the prefix."""

    name: str
    bucket_id: str | None = None
    owner: str | None = None
    id: str | None = None
    updated_text: str | None = field(name="updated_at", default=None)
    created_text: str | None = field(name="created_at", default=None)
    accessed_text: str | None = field(name="last_accessed_at", default=None)
    metadata: FreeForm | None = None
    buckets: Bucket | None = None

    @property
    def is_folder(self) -> bool:
        # not shown: how a listing tells a folder; its row has nothing but a name.
        return self.id is None and not self.metadata

    @property
    def updated_at(self) -> datetime | None:
        return moment(self.updated_text)

    @property
    def created_at(self) -> datetime | None:
        return moment(self.created_text)

    @property
    def last_accessed_at(self) -> datetime | None:
        """The time of the last access; today's service does not update it."""
        return moment(self.accessed_text)

    @property
    def size(self) -> int | None:
        """The size in bytes, if the metadata have it."""
        # not shown: the members of metadata.
        size = (self.metadata or {}).get("size")
        return size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None

    @property
    def mimetype(self) -> str | None:
        return self._text("mimetype")

    @property
    def cache_control(self) -> str | None:
        return self._text("cacheControl")

    @property
    def etag(self) -> str | None:
        """The ETag with quotes, as in the header."""
        return self._text("eTag")

    def _text(self, member: str) -> str | None:
        text = (self.metadata or {}).get(member)
        return text if isinstance(text, str) and text else None


class Stored(Record, frozen=True):
    """The answer to an upload: `key` is bucket and key ("photos/a.jpg"); only newer services send `id`."""

    key: str = field(name="Key")
    id: str | None = field(name="Id", default=None)
    date_text: str | None = field(name="Date", default=None)

    @property
    def date(self) -> datetime | None:
        """The time of the answer by the service's clock, if its header has it."""
        return moment(self.date_text)


class Copied(Record, frozen=True):
    """The answer to a copy."""

    key: str = field(name="Key")


class ObjectInfo(Record, frozen=True):
    """An object's details (S19, S21): `size` in bytes, `metadata` as set by the uploader.

    `others` holds further members.
    """

    # not shown: the whole answer. Newer services send JSON, older ones the object's headers without a body.
    name: str
    size: int | None = None
    content_type: str | None = None
    cache_control: str | None = None
    etag: str | None = None
    last_modified_text: str | None = field(name="last_modified", default=None)
    created_text: str | None = field(name="created_at", default=None)
    metadata: FreeForm | None = None
    id: str | None = None
    version: str | None = None
    bucket_id: str | None = None
    others: FreeForm | None = None

    @property
    def last_modified(self) -> datetime | None:
        return moment(self.last_modified_text)

    @property
    def created_at(self) -> datetime | None:
        return moment(self.created_text)


def info_from_headers(name: str, headers: Mapping[str, str]) -> ObjectInfo:
    """Build the details from headers (lower-case names) alone."""
    length = headers.get("content-length", "")
    # A length of 0 may mean the missing body instead of the object.
    size = int(length) if length.isascii() and length.isdecimal() and len(length) < 19 and int(length) > 0 else None
    return ObjectInfo(
        name=name,
        size=size,
        content_type=headers.get("content-type"),
        cache_control=headers.get("cache-control"),
        etag=headers.get("etag"),
        last_modified_text=iso(headers.get("last-modified")),
    )


def iso(text: str | None) -> str | None:
    """Convert a header's date to the form in bodies; None if invalid."""
    try:
        parsed: Any = parsedate_to_datetime(text) if text else None
        return parsed.astimezone(UTC).isoformat() if parsed else None
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
