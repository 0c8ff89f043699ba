"""Receive uploads, raw or as a form with one file part, into a temporary file."""

import base64
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from dashboard.sandbox.storage import refusals
from dashboard.sandbox.storage.body import Body
from dashboard.sandbox.storage.disk import BLOCK, Aside

_MOST_TEXT = 4 << 20
_MOST_METADATA = 1 << 20
_TAIL = 512

_PLAIN_ROBOTS = frozenset(
    {
        "all", "index", "follow", "noindex", "nofollow", "none", "noarchive", "nocache", "nosnippet", "indexifembedded",
        "notranslate", "noimageindex", "nositelinkssearchbox", "noai", "noimageai",
    }
)  # fmt: skip
_ROBOTS_WITH_VALUE = re.compile(r"(?:max-snippet|max-video-preview|max-image-preview|unavailable_after)\s*:\s*\S.*")
_ROBOT_NAME = re.compile(r"[A-Za-z][\w\-]*\s*:\s*(?P<rule>\S.*)")


@dataclass(frozen=True, slots=True)
class Label:
    """The metadata of an upload. `cache_control` as it will be served."""

    mimetype: str
    cache_control: str
    user_metadata: dict[str, object] = field(default_factory=dict)


Admit = Callable[[str, int | None], None]
"""Called once with the media type and size (None: not announced); refuses disallowed uploads."""


def receive(request: HttpRequest, body: Body, aside: Aside, limit: int, admit: Admit) -> Label:
    """Read the whole body into `aside`, and refuse what is invalid. Raises body.Cut.

    `limit` (bytes) ends a form early. A chunked raw body is not limited, as on the service.
    """
    if request.content_type == "multipart/form-data":
        return _receive_form(request, body, aside, limit, admit)
    mimetype = request.headers.get("Content-Type") or "application/octet-stream"
    admit(mimetype, body.length)
    while block := body.read(BLOCK):
        aside.write(block)
    return Label(mimetype, request.headers.get("Cache-Control") or "no-cache", header_metadata(request))


def header_metadata(request: HttpRequest) -> dict[str, object]:
    """Decode `x-metadata`: Base64 of a JSON object; anything else counts as empty."""
    try:
        text = base64.b64decode(request.headers.get("x-metadata", "")).decode()
    except ValueError:
        return {}
    return _object(text)


def robots_tag(request: HttpRequest) -> str:
    """Return `x-robots-tag` if it contains only known rules, each optionally after a robot's name."""
    text = request.headers.get("x-robots-tag", "").strip()
    for part in text.split(",") if text else []:
        rule = part.strip()
        named = None if _ROBOTS_WITH_VALUE.fullmatch(rule) else _ROBOT_NAME.fullmatch(rule)
        plain = named["rule"].strip() if named else rule
        if plain.lower() not in _PLAIN_ROBOTS and not _ROBOTS_WITH_VALUE.fullmatch(plain):
            raise refusals.bad_robots_tag(rule)
    return text


class _OneFile(FileUploadHandler):
    """Write the only file part to the temporary file; `open` while it arrives."""

    def __init__(self, aside: Aside) -> None:
        super().__init__()
        self.chunk_size = BLOCK
        self.mimetype: str | None = None
        self.open = False
        self._aside = aside

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.mimetype is not None:
            raise refusals.bad_form("reach files limit")
        self.mimetype = (self.content_type or "").strip() or "text/plain"
        self.open = True

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002 - Django's signature
        self._aside.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes] | None":  # noqa: ARG002 - Django's signature
        self.open = False
        return None


class _FormReader:
    """Pass the body to Django's parser. Limits text fields, which Django keeps in memory, and remembers the end."""

    def __init__(self, body: Body, handler: _OneFile) -> None:
        self._body = body
        self._handler = handler
        self._text = 0
        self.tail = b""

    def read(self, size: int) -> bytes:
        block = self._body.read(size)
        self._text = 0 if self._handler.open else self._text + len(block)
        if self._text > _MOST_TEXT + BLOCK:
            raise refusals.bad_form("request file too large")
        self.tail = (self.tail + block[-_TAIL:])[-_TAIL:]
        return block


def _receive_form(request: HttpRequest, body: Body, aside: Aside, limit: int, admit: Admit) -> Label:
    aside.limit = limit
    handler = _OneFile(aside)
    reader = _FormReader(body, handler)
    meta = {**request.META, "CONTENT_LENGTH": str(1 if body.length is None else body.length)}
    try:
        parser = MultiPartParser(meta, reader, [handler], "utf-8")  # type: ignore[arg-type]  # only read() is used
    except MultiPartParserError:
        raise refusals.bad_form("Multipart: Boundary not found") from None
    try:
        fields, _ = parser.parse()
    except (MultiPartParserError, SuspiciousOperation):
        raise refusals.bad_form("Unexpected end of form") from None  # not shown: the message
    if handler.mimetype is None:
        raise refusals.bad_form("No content provided")
    boundary = (request.content_params or {}).get("boundary", "")
    if f"--{boundary}--".encode("latin-1", "replace") not in reader.tail:
        raise refusals.bad_form("Unexpected end of form")  # not shown: the message
    mimetype = _last(fields, "contentType") or handler.mimetype
    admit(mimetype, aside.size)
    seconds = _last(fields, "cacheControl")
    metadata = _object(_last(fields, "metadata") or _last(fields, "userMetadata"))
    return Label(mimetype, f"max-age={seconds}" if seconds else "no-cache", metadata)


def _last(fields: QueryDict, name: str) -> str:
    return str(fields.get(name, ""))


def _object(text: str) -> dict[str, object]:
    if len(text) > _MOST_METADATA:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and _storable(value) else {}


def _storable(value: object, levels: int = 100) -> bool:
    """Return whether the database can store it as JSON: finite numbers, limited nesting."""
    match value:
        case dict():
            return levels > 0 and all(_storable(inner, levels - 1) for inner in value.values())
        case list():
            return levels > 0 and all(_storable(inner, levels - 1) for inner in value)
        case float():
            return math.isfinite(value)
    return True
