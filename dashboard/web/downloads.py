"""Bytes of objects to the browser: streamed through us, or a redirect to a presigned link."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

# What a browser may show in a page of ours. Nothing that can carry a script: no SVG, HTML, XML, PDF.
SHOWN = frozenset(
    {
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-icon",
        "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm", "audio/mp4", "audio/aac", "audio/flac",
        "video/mp4", "video/webm", "video/ogg", "video/quicktime",
    }
)  # fmt: skip
PASSED_ON = ("Content-Range", "Accept-Ranges", "ETag", "Last-Modified")
STRANGE = "default-src 'none'; frame-ancestors 'none'; sandbox"


V = TypeVar("V", bound=Callable[..., Any])


def file_view(view: V) -> V:
    """Mark a view whose answer is a file: a failure keeps the service's status, so that nobody saves the page as the file."""
    view.__dict__["is_file_view"] = True
    return view


def is_file_request(request: HttpRequest) -> bool:
    """Return whether the view of this request is a `file_view`."""
    return request.resolver_match is not None and getattr(request.resolver_match.func, "is_file_view", False)


class Stream(Protocol):
    """What the storage interface hands out: headers as sent, blocks, and `close`."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def length(self) -> int | None: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


def stream(source: Stream, *, filename: str, inline: bool = False, kind: str = "") -> StreamingHttpResponse:
    """The object as it arrives. `inline` shows it only where its type is on the list; else it is saved under `filename`.

    `kind` is a type to go by where the stored one says nothing.
    """
    headers = {name.lower(): value for name, value in source.headers.items()}
    stored = kind or bare_type(headers.get("content-type", ""))
    shown = inline and stored in SHOWN
    response = StreamingHttpResponse(source, status=source.status, content_type=stored if shown else "application/octet-stream")
    if source.length is not None:
        response["Content-Length"] = str(source.length)
    for name in PASSED_ON:
        if name.lower() in headers:
            response[name] = headers[name.lower()]
    _guard(response, filename, saved=not shown)
    return response


def attach(
    blocks: Iterable[bytes] | Iterable[str], *, filename: str, kind: str, length: int | None = None
) -> StreamingHttpResponse:
    """What we make while it is sent, to be saved under `filename`. `length`: its bytes, where they are known beforehand."""
    response = StreamingHttpResponse(blocks, content_type=kind)
    if length is not None:
        response["Content-Length"] = str(length)
    _guard(response, filename, saved=True)
    return response


def send(data: bytes, *, filename: str) -> HttpResponse:
    """Bytes that are here already, to be saved under `filename`, whatever is in them."""
    response = HttpResponse(data, content_type="application/octet-stream")
    _guard(response, filename, saved=True)
    return response


def bare_type(header: str) -> str:
    """`text/html` of `Text/HTML; charset=utf-7`."""
    return header.partition(";")[0].strip().lower()


def _guard(response: HttpResponseBase, filename: str, *, saved: bool) -> None:
    """Bytes of a stranger: of the type that we say, with no rights, for our own pages alone, and kept nowhere."""
    response["Content-Disposition"] = content_disposition_header(saved, filename) or "attachment"
    response["Content-Security-Policy"] = STRANGE
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, no-store"


def redirect(url: str) -> HttpResponse:
    """To a presigned link, which is as good as the object: kept nowhere, and not told to where it leads."""
    response = HttpResponse(status=302, headers={"Location": url})
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response
