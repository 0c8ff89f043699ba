"""Send an object's bytes: headers, conditions, one range, a download name."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import quote

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import http_date, parse_http_date_safe

from dashboard.sandbox import generations
from dashboard.sandbox.answers import answer
from dashboard.sandbox.storage import disk, refusals
from dashboard.sandbox.storage.disk import BLOCK
from dashboard.sandbox.storage.models import Bucket, Entry
from dashboard.sandbox.storage.records import info_record

# Uploaded pages and pictures get a `sandbox` policy, because cookies of the dashboard ignore ports.
POLICY = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"
# Browsers' PDF viewers don't work under a `sandbox` policy, and can't read cookies.
_VIEWED = "application/pdf"
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_LAST_DATE = 253_402_300_799  # the year 9999


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes from `first` to `last`, inclusive."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


def send(request: HttpRequest, find: Callable[[], Entry], *, expires: int | None = None) -> HttpResponseBase:
    """Send the object or a range of it. `expires` (seconds since 1970) overrides Cache-Control."""
    return disk.current(find, lambda entry: _send(request, entry, expires))


def info(entry: Entry, bucket: Bucket) -> HttpResponse:
    headers = {"ETag": f'"{entry.etag}"', "Last-Modified": _modified(entry), "Cache-Control": entry.cache_control}
    if generations.is_older():
        # Headers only. Their length is that of the empty body.
        response = HttpResponse(content_type=entry.mimetype, headers={"Content-Length": "0"})
    else:
        response = answer(info_record(entry, bucket))
    _with_headers(response, headers)
    return response


def _send(request: HttpRequest, entry: Entry, expires: int | None) -> HttpResponseBase:
    headers = _headers(request, entry, expires)
    if _unchanged(request, entry):
        return _with_headers(HttpResponse(status=304), {**headers, "Content-Length": "0"})
    asked = request.headers.get("Range") if request.method == "GET" else None
    part = _part(asked, entry.size) if asked else None
    shown = part or Part(0, entry.size - 1)
    if part:
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{entry.size}"
    response = _Bytes(_open(entry, shown.first), status=206 if part else 200)
    return _with_headers(response, {**headers, "Content-Length": str(shown.size)})


class _Bytes(FileResponse):
    """A file response without the headers that Django would guess. gunicorn sends it by sendfile, or in blocks of 1 MiB."""

    block_size = BLOCK

    def set_headers(self, filelike: BinaryIO) -> None:
        """Do nothing: `_send` sets all headers."""


def _open(entry: Entry, start: int) -> BinaryIO:
    file = disk.reader(entry.file)
    file.seek(start)
    return file


def _headers(request: HttpRequest, entry: Entry, expires: int | None) -> dict[str, str]:
    mimetype = "text/plain" if "text/html" in entry.mimetype.lower() else entry.mimetype
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Type": mimetype,
        "ETag": f'"{entry.etag}"',
        "X-Robots-Tag": entry.robots_tag or "none",
        "Last-Modified": _modified(entry),
        "X-Content-Type-Options": "nosniff",
    }
    if mimetype != _VIEWED:
        headers["Content-Security-Policy"] = POLICY
    if expires is not None:
        headers["Expires"] = http_date(min(expires, _LAST_DATE))
    elif request.headers.get("If-None-Match"):
        headers["Cache-Control"] = entry.cache_control + ("" if _unchanged(request, entry) else ", stale-while-revalidate=30")
    else:
        headers["Cache-Control"] = entry.cache_control
    if "download" in request.GET:
        headers["Content-Disposition"] = _disposition(request.GET["download"])
    return headers


def _disposition(name: str) -> str:
    if not name:
        return "attachment;"
    quoted = quote(name, safe="-_.!~*'()", errors="replace")
    return f"attachment; filename={quoted}; filename*=UTF-8''{quoted}" + (";" if generations.is_older() else "")


def _unchanged(request: HttpRequest, entry: Entry) -> bool:
    """Check one exact ETag or a date; lists, weak tags and `*` never match."""
    if request.headers.get("If-None-Match") == f'"{entry.etag}"':
        return True
    since = parse_http_date_safe(request.headers.get("If-Modified-Since", ""))
    return since is not None and entry.written_at // 1000 <= since


def _part(asked: str, size: int) -> Part:
    """Parse a single range; refuse anything else."""
    found = _RANGE.fullmatch(asked.strip())
    if not found or not any(found.groups()):
        raise refusals.bad_range()
    first, last = found.groups()
    if not first:
        part = Part(max(0, size - int(last)), size - 1)
    else:
        part = Part(int(first), min(int(last), size - 1) if last else size - 1)
    if part.first > part.last or (last and first and int(last) < int(first)):
        raise refusals.bad_range()
    return part


def _modified(entry: Entry) -> str:
    return http_date(entry.written_at // 1000)


def _with_headers(response: HttpResponseBase, headers: dict[str, str]) -> HttpResponseBase:
    """Set headers, skipping values of uploaders that headers can't contain."""
    for name, value in headers.items():
        response[name] = "".join(sign for sign in value if sign.isprintable() and sign <= "\xff")
    return response
