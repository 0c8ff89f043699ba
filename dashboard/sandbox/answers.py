"""The few forms of an answer."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from django.http import HttpResponse

# Whatever was uploaded must not run beside the dashboard: cookies ignore ports.
SANDBOXED = "default-src 'none'; sandbox"


def answer(data: object, status: int = 200) -> HttpResponse:
    """JSON as the service writes it: compact, UTF-8, the charset named."""
    return _json(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"), status)


def rows(records: Sequence[Mapping[str, object]]) -> HttpResponse:
    """The same for many records of plain texts and numbers, in a quarter of the time."""
    return _json(msgspec.json.encode(records))


def _json(body: bytes, status: int = 200) -> HttpResponse:
    response = HttpResponse(body, content_type="application/json; charset=utf-8", status=status)
    response["Content-Length"] = str(len(body))
    return response


def nothing(status: int = 200) -> HttpResponse:
    """No body and no content type (M6, M7, M16, M23)."""
    response = HttpResponse(status=status)
    del response["Content-Type"]
    return response


def raw(body: bytes, content_type: str = "application/octet-stream") -> HttpResponse:
    """Bytes as they were stored, under a policy that keeps them from running."""
    response = HttpResponse(body, content_type=content_type)
    response["Content-Security-Policy"] = SANDBOXED
    response["X-Content-Type-Options"] = "nosniff"
    return response


def form(parts: Iterable[tuple[str, bytes]]) -> HttpResponse:
    """multipart/form-data; a part is the rest of its Content-Disposition and its bytes."""
    boundary = uuid.uuid4().hex
    body = b"".join(
        f"--{boundary}\r\nContent-Disposition: form-data; {named}\r\n\r\n".encode() + data + b"\r\n" for named, data in parts
    )
    return raw(body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}")
