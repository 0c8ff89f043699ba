"""Read what a thumbnail is made from."""

from dashboard.tokens.workspace import Workspace


def read_source(workspace: Workspace, space: str, bucket: str, key: str, *, etag: str, limit: int) -> bytes | None:
    """Read an object (S18); None if it changed since it was listed or is larger than `limit` bytes."""
    with workspace.storage(space).objects.read(bucket, key) as stream:
        is_listed = stream.headers.get("etag") == etag and stream.length is not None
        return stream.read_all(limit) if is_listed and (stream.length or 0) <= limit else None
