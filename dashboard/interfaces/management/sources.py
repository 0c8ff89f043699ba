"""Parse the source files that today's service sends for M14 as multipart/form-data."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser

import msgspec

_METADATA = "metadata"


class BadPartsError(ValueError):
    """A multipart body that can't be parsed."""


@dataclass(frozen=True, slots=True, repr=False)
class SourceFile:
    """One source file of a function with its path."""

    path: str
    data: bytes

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r}, {len(self.data)} bytes)"


def is_parts(content_type: str | None) -> bool:
    """Return whether this media type is multipart/form-data."""
    return (content_type or "").lower().startswith("multipart/form-data")


def source_files(content_type: str, body: bytes) -> tuple[SourceFile, ...]:
    """Return the files, entry point first. Raises `BadPartsError` for missing boundaries."""
    # not shown: the parts. One is called `metadata`, JSON with the path of the entry point; every other one is a file.
    entry = ""
    files = []
    for headers, data in _parts(content_type, body):
        if headers.get_param("name", header="content-disposition") == _METADATA:
            entry = _entry(data)
        elif path := headers.get_filename():
            files.append(SourceFile(path, data))
    return tuple(sorted(files, key=lambda file: (file.path != entry, file.path)))


def _parts(content_type: str, body: bytes) -> Iterator[tuple[Message, bytes]]:
    outer = Message()
    outer["Content-Type"] = content_type
    boundary = outer.get_boundary()
    if not boundary:
        raise BadPartsError(content_type)
    _, *pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    for piece in pieces:
        if piece.startswith(b"--"):
            return
        head, _, data = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        yield HeaderParser().parsestr(head.decode(errors="replace")), data
    raise BadPartsError(content_type)


def _entry(data: bytes) -> str:
    try:
        told = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    path = told.get("deno2_entrypoint_path") if isinstance(told, dict) else None
    return path if isinstance(path, str) else ""
