"""Dispatch requests: match the undecoded path, authenticate, call the view, render errors."""

import logging
import re
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from urllib.parse import unquote_to_bytes, urlsplit

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.http.response import HttpResponse
from gunicorn.http.errors import ParseException

from dashboard.sandbox import access, faults, generations, rates
from dashboard.sandbox.answers import answer
from dashboard.sandbox.errors import Refusal, RouteRefusal
from dashboard.sandbox.operations import Operation, View

log = logging.getLogger("dashboard.sandbox")

BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
BLOCK = 1 << 20
DRAIN_SECONDS = 30
STORAGE_PATH = re.compile(r"/[^/]*/storage/v1(?=/|$)")


def dispatcher(operations: Iterable[Operation]) -> View:
    """Return the Django view that dispatches all requests."""
    rows = sorted(operations, key=lambda row: row.rank)
    faults.known.update(row.id for row in rows if row.interface != "switch")

    def dispatch(request: HttpRequest) -> HttpResponseBase:
        path = raw_path(request)
        try:
            response = _find_and_answer(rows, request, path)
        except Refusal as refusal:
            body = generations.refusal(refusal.body) if STORAGE_PATH.match(path) else refusal.body
            response = HttpResponse(status=refusal.status) if body is None else answer(body, refusal.status)
            for name, value in refusal.headers.items():
                response[name] = value
        except Exception:  # A server's last resort: no traceback leaves the process.
            log.exception("%s failed", request.method)
            response = _broken(path)
        if response.status_code >= 400:
            drain(request)
        return _without_body(response) if request.method == "HEAD" else response

    return dispatch


def drain(request: HttpRequest) -> None:
    """Read the rest of a refused request, as clients read the answer only after sending everything."""
    stream, ends = request.META.get("wsgi.input"), time.monotonic() + DRAIN_SECONDS
    with suppress(OSError, ParseException):
        while stream is not None and stream.read(BLOCK) and time.monotonic() < ends:
            pass


def raw_path(request: HttpRequest) -> str:
    """Return the path as sent, still percent-encoded, without the query."""
    target = str(request.META.get("RAW_URI") or request.get_full_path())
    if not target.startswith("/"):
        target = urlsplit(target).path or "/"
    return target.split("?", 1)[0]


def _find_and_answer(rows: Sequence[Operation], request: HttpRequest, path: str) -> HttpResponseBase:
    method = "GET" if request.method == "HEAD" else str(request.method)
    for row in rows:
        found = row.pattern.fullmatch(path) if row.method == method else None
        if found:
            return _answer(row, request, {name: decode(text, path) for name, text in found.groupdict().items()})
    raise _no_route(rows, str(request.method), path)


def _answer(row: Operation, request: HttpRequest, parameters: dict[str, str]) -> HttpResponseBase:
    fault = faults.roll(row.id)
    cut = fault.instead(request) if fault else None
    if cut is not None:
        return cut
    with faults.late(request) if fault and fault.late else nullcontext():
        response = _ask(row, request, parameters)
    return fault.after(request, response) if fault else response


def _ask(row: Operation, request: HttpRequest, parameters: dict[str, str]) -> HttpResponseBase:
    ref = parameters.pop("ref", "")
    if row.interface == "storage":
        access.storage_exists(ref)
        response = row.view(request, ref, **parameters)
    else:
        person = access.person(request)
        headers = rates.spend(person, row, ref)
        subject = access.project(person, ref, writes=row.method != "GET" and row.id != "M22") if ref else person
        if row.method != "GET" and not ref and row.interface == "management":
            access.may_write(person)
        response = row.view(request, subject, **parameters)
        for name, value in {**headers, "x-gotrue-id": str(person.pk)}.items():
            response[name] = value
    return response


def decode(text: str, path: str) -> str:
    """Percent-decode once; invalid escapes or UTF-8 give the framework's 400."""
    if BAD_ESCAPE.search(text):
        raise RouteRefusal.undecodable(STORAGE_PATH.sub("", path))
    try:
        return unquote_to_bytes(text.encode("latin-1", "replace")).decode()
    except UnicodeDecodeError:
        raise RouteRefusal.undecodable(STORAGE_PATH.sub("", path)) from None


def _no_route(rows: Sequence[Operation], method: str, path: str) -> Refusal:
    if path == "/v1" or path.startswith("/v1/"):
        return RouteRefusal.management(method, path)
    storage = STORAGE_PATH.match(path)
    if storage:
        access.storage_exists(path.split("/")[1])
        return RouteRefusal.storage(method, path[storage.end() :] or "/")
    allowed = sorted({row.method for row in rows if row.interface == "switch" and row.pattern.fullmatch(path)})
    if allowed:
        return Refusal(405, {"message": f"{path} takes {', '.join(allowed)}"}, {"Allow": ", ".join(allowed)})
    return RouteRefusal.elsewhere(method, path)


def _broken(path: str) -> HttpResponse:
    if STORAGE_PATH.match(path):
        body: dict[str, object] = {
            "statusCode": "500",
            "error": "Internal",
            "message": "Internal Server Error",
            "code": "InternalError",
        }
        return answer(generations.refusal(body), 500)
    return answer({"message": "Internal server error", "errorEventId": uuid.uuid4().hex}, 500)


def _without_body(response: HttpResponseBase) -> HttpResponseBase:
    """Return a GET's headers without a body, for HEAD."""
    if isinstance(response, StreamingHttpResponse):
        response.close()
        response.streaming_content = ()
    elif isinstance(response, HttpResponse):
        response.setdefault("Content-Length", str(len(response.content)))
        response.content = b""
    return response
