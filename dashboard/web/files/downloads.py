"""Send objects to the browser: streamed, or by a redirect to a signed link."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

# Types that may be shown inline on our origin. None can contain a script: no SVG, HTML, XML or PDF.
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
    """Mark a view that answers with a file, so that its failures keep the service's error status."""
    view.__dict__["is_file_view"] = True
    return view


def is_file_request(request: HttpRequest) -> bool:
    """Whether this request's view is a `file_view`."""
    return request.resolver_match is not None and getattr(request.resolver_match.func, "is_file_view", False)


class Stream(Protocol):
    """An object stream of the storage interface."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def length(self) -> int | None: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


def stream(source: Stream, *, filename: str, inline: bool = False, kind: str = "") -> StreamingHttpResponse:
    """Stream an object. `inline` shows allow-listed types; others are saved under `filename`.

    `kind` replaces the stored media type.
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
    guard(response, filename, saved=not shown)
    return response


def attach(
    blocks: Iterable[bytes] | Iterable[str], *, filename: str, kind: str, length: int | None = None
) -> StreamingHttpResponse:
    """Stream generated content as a download. `length` is its size in bytes, if known."""
    response = StreamingHttpResponse(blocks, content_type=kind)
    if length is not None:
        response["Content-Length"] = str(length)
    guard(response, filename, saved=True)
    return response


def send(data: bytes, *, filename: str) -> HttpResponse:
    """Send bytes as a download under `filename`."""
    response = HttpResponse(data, content_type="application/octet-stream")
    guard(response, filename, saved=True)
    return response


def bare_type(header: str) -> str:
    """Return the media type without parameters: "text/html" for "Text/HTML; charset=utf-7"."""
    return header.partition(";")[0].strip().lower()


def guard(response: HttpResponseBase, filename: str, *, saved: bool) -> None:
    """Set headers for untrusted bytes: no sniffing, no rights, same origin only, no caching."""
    response["Content-Disposition"] = content_disposition_header(saved, filename) or "attachment"
    response["Content-Security-Policy"] = STRANGE
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, no-store"


def redirect(url: str) -> HttpResponse:
    """Redirect to a signed link without caching it or sending a referrer."""
    response = HttpResponse(status=302, headers={"Location": url})
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response
