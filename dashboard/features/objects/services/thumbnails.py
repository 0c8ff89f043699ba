"""Thumbnails of objects, from the process's cache or made from the object."""

from dashboard.features.objects.rules import Kind, look_of
from dashboard.tokens.models import Kind as TokenKind
from dashboard.tokens.workspace import Workspace
from dashboard.web.pictures import KINDS, MOST_SOURCE_BYTES, Thumbnails

PDF = "application/pdf"
_thumbnails = Thumbnails()


def picture_type(key: str, content_type: str | None, size: int | None) -> str:
    """The type of an object that gets a thumbnail, or ""."""
    look = look_of(key, content_type)
    kind = PDF if look.kind is Kind.PDF else look.type
    return kind if kind in KINDS and size is not None and 0 < size <= MOST_SOURCE_BYTES else ""


def read_thumbnail(workspace: Workspace, space: str, bucket: str, key: str, *, etag: str, kind: str) -> bytes:
    """A WebP picture, or b"" for what can't be shown. S18, unless this token's thumbnail of this version is in the cache."""

    def read() -> bytes | None:
        with workspace.storage(space).objects.read(bucket, key) as stream:
            is_listed = stream.headers.get("etag") == etag and stream.length is not None
            return stream.read_all(MOST_SOURCE_BYTES) if is_listed and (stream.length or 0) <= MOST_SOURCE_BYTES else None

    name = (workspace.fingerprint(TokenKind.STORAGE, space), space, bucket, key, etag)
    return _thumbnails.get(name, KINDS[kind], read)
