"""Read the beginning of an object as text."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.features.objects.rules import decode, indented
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.transport import ObjectStream
from dashboard.tokens.workspace import Workspace

FIRST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The first bytes as text. `size`: the object's bytes, None if unknown; `is_indented`: reformatted JSON."""

    text: str
    shown: int
    size: int | None
    encoding: str
    note: str
    binary: bool
    is_indented: bool = False

    @property
    def is_whole(self) -> bool:
        return self.size is not None and self.shown >= self.size


def read_beginning(workspace: Workspace, space: str, bucket: str, key: str, *, is_json: Callable[[str], bool]) -> Beginning:
    """S18 for the first 256 KiB; `is_json` decides by type whether to reformat. Raises `NotFound`."""
    try:
        stream = workspace.storage(space).objects.read(bucket, key, headers={"Range": f"bytes=0-{FIRST_BYTES - 1}"})
    except Rejected as refusal:
        if refusal.status != 416:
            raise
        # An empty object has no ranges.
        return Beginning(text="", shown=0, size=0, encoding="", note="", binary=False)
    with stream:
        data = _first(stream)
    size = _size(stream, len(data))
    whole = size is not None and len(data) >= size
    content_type = stream.headers.get("content-type", "")
    found = decode(data, content_type, whole=whole)
    formatted = indented(found.text) if whole and not found.binary and is_json(content_type) else None
    return Beginning(
        text="" if found.binary else (formatted or found.text),
        shown=len(data),
        size=size,
        encoding=found.encoding,
        note=found.note,
        binary=found.binary,
        is_indented=formatted is not None,
    )


def _first(stream: ObjectStream) -> bytes:
    """At most 256 KiB, even if the service ignores the range."""
    parts: list[bytes] = []
    left = FIRST_BYTES
    for block in stream:
        parts.append(block[:left])
        left -= len(parts[-1])
        if left <= 0:
            break
    return b"".join(parts)


def _size(stream: ObjectStream, read: int) -> int | None:
    if stream.status == 206:
        total = stream.headers.get("content-range", "").rpartition("/")[2]
        return int(total) if total.isascii() and total.isdecimal() and len(total) < 19 else None
    return stream.length if stream.length is not None else (read if read < FIRST_BYTES else None)
