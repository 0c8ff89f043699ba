"""The source files that today's service answers M14 with, as the parts of a multipart/form-data body."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser

import msgspec

_METADATA = "metadata"


class BadPartsError(ValueError):
    """A body that is not made of parts as its type says."""


@dataclass(frozen=True, slots=True, repr=False)
class SourceFile:
    """One file of a function's source, under the path that the service gives it."""

    path: str
    data: bytes

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r}, {len(self.data)} bytes)"


def is_parts(content_type: str | None) -> bool:
    """Whether an answer of this type holds parts."""
    return (content_type or "").lower().startswith("multipart/form-data")


def source_files(content_type: str, body: bytes) -> tuple[SourceFile, ...]:
    """Return the files, that of the entry point first. `BadPartsError` for a body without boundaries or without its end."""
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
