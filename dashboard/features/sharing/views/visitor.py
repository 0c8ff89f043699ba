"""What anyone with a share link can do: open its page, download a file, download all as a ZIP."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.http import content_disposition_header, http_date
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog import keys
from dashboard.catalog.archive_names import Names
from dashboard.features.sharing import rules
from dashboard.features.sharing.rules import require_objects, require_open
from dashboard.features.sharing.services import cache, visitor
from dashboard.features.sharing.services.visitor import Contents, located, noting_whether_found, single_of
from dashboard.interfaces import ObjectStream, errors
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.storage import StorageInterface
from dashboard.links import access, end_states
from dashboard.links.end_states import LinkClosed
from dashboard.links.guard import ByCode, Endings, ask_password, draw, is_crawler, is_locked
from dashboard.links.ledger import name_of
from dashboard.links.models import Share, Ticket
from dashboard.links.pages import SharedPage, page_of
from dashboard.links.signed import signed_address
from dashboard.tokens.actor import acting_as
from dashboard.tokens.workspace import Workspace
from dashboard.web import throttle
from dashboard.web.archive import FAILED, PADDING, Member, length, pack
from dashboard.web.downloads import attach, redirect, stream
from dashboard.web.parallel import later
from dashboard.web.ranges import serve
from dashboard.web.requests import client_address
from dashboard.web.text import bytes_text, exact, local, relative
from dashboard.web.throttle import of_address
from dashboard.web.transfers import transfer

FIRST_BYTES = re.compile(r"\s*bytes\s*=\s*0\s*-", re.IGNORECASE)
RECHECK_SECONDS = 1.0

by_code = ByCode(Share, Endings(missing=rules.FILE_MISSING, no_access=rules.NO_ACCESS, locked=rules.LOCKED))


@require_http_methods(["GET", "HEAD", "POST"])
@by_code
def show(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """The page (S19 or S13), or the file at once where the owner chose that. Nothing is read before the right password."""
    require_open(share)
    if is_locked(request, share):
        return ask_password(request, share)
    if shared := page_of(share.kind):
        return _page(request, share, shared)
    single = single_of(share)
    if single and not share.landing and not share.password and not is_crawler(request):
        return _send(request, share, code, single.bucket, single.key)
    with noting_whether_found(share, single=single is not None), acting_as(share.owner) as workspace:
        redirected = workspace.storage_public_url(share.space) is not None
        if single:
            found = cache.ask(
                workspace,
                share,
                ("facts", single.bucket, single.key),
                life=settings.SHARE_LINK_SECONDS,
                question=lambda: visitor.read_one(workspace.storage(share.space), single),
            )
            found = replace(found, title=keys.printable(visitor.file_name(share, single.key)))
        else:
            found = visitor.read_all(workspace.storage(share.space), share, name_of(share))
    context = {
        **_facts(share),
        "share": share,
        "found": found,
        "rows": _rows(code, found),
        "archive": reverse("sharing:all", args=(code,)) if found.can_be_packed else "",
        "seconds": int(settings.SHARE_LINK_SECONDS - cache.reused_for(settings.SHARE_LINK_SECONDS)) if redirected else 0,
    }
    return draw("sharing/visitor.html", context)


@require_safe
@by_code
def file(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """One file of a link. Crawlers are sent to the page."""
    require_objects(share)
    require_open(share)
    if is_locked(request, share) or is_crawler(request):
        return redirect(reverse("sharing:show", args=(code,)))
    return _send(request, share, code, *located(share, request.GET.get("n", ""), request.GET.get("key", "")))


@require_safe
@by_code
def ticketed(request: HttpRequest, share: Share, _code: str, ticket: str) -> HttpResponseBase:
    """A counted download: its bytes, also in ranges and again, for an hour and for the client that has the ticket."""
    require_open(share, has_ticket=True)
    found = access.ticket_of(share, ticket, client_address(request))
    if found is None:
        throttle.count(of_address(client_address(request)))
        raise LinkClosed(rules.LIMIT_REACHED if share.limit is not None else end_states.UNKNOWN)
    if request.method == "HEAD":
        return _head(share, found.bucket, found.key)
    return _send_ticketed(request, share, found)


@require_safe
@by_code
def archive(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """All files as one ZIP: S13, then S18 of each while it is sent. Counts as one download; HEAD does not."""
    require_objects(share)
    require_open(share)
    if is_locked(request, share) or is_crawler(request) or single_of(share):
        return redirect(reverse("sharing:show", args=(code,)))
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    return _send_archive(share, code)


def _page(request: HttpRequest, share: Share, shared: SharedPage) -> HttpResponse:
    """The page that a feature registered for this kind of link. GET counts as opened; HEAD and crawlers do not."""
    try:
        with acting_as(share.owner) as workspace:
            found = shared.read(workspace, share)
    except NotFound:
        found = None
    except (errors.TokenRefused, errors.NotAllowed):
        raise
    except errors.InterfaceError as error:
        raise LinkClosed(rules.status_down(round(error.retry_after) if error.retry_after else None)) from error
    if found is None:
        access.missed(share)
        raise LinkClosed(rules.INSTRUCTIONS_MISSING)
    access.met(share)
    if request.method == "GET" and not is_crawler(request):
        access.take(share)
    return draw(shared.template, {"share": share, **_facts(share), **found})


def _send(request: HttpRequest, share: Share, code: str, bucket: str, key: str) -> HttpResponseBase:
    """Count one download and send the browser to it. HEAD and every range but the first count nothing."""
    with noting_whether_found(share, single=single_of(share) is not None):
        if request.method == "HEAD":
            return _head(share, bucket, key)
        if share.limit is not None:
            return _redirect_with_ticket(request, share, code, bucket, key)
        counts = _is_first_range(request)
        with acting_as(share.owner) as workspace:
            base = workspace.storage_public_url(share.space)
            address = _signed_address(workspace, share, base, bucket, key) if base else ""
        if not address:
            return _send_through_us(request, share, bucket, key, counts=counts)
        if counts and not access.take(share):
            raise LinkClosed(rules.REVOKED)
        return redirect(address)


def _signed_address(workspace: Workspace, share: Share, base: str, bucket: str, key: str) -> str:
    """S14, or the link that was signed a moment ago."""
    life, name = settings.SHARE_LINK_SECONDS, visitor.file_name(share, key)
    return cache.ask(
        workspace,
        share,
        ("signed", base, bucket, key, name),
        life=life,
        question=lambda: signed_address(workspace.storage(share.space), base, bucket, key, seconds=life, download=name),
    )


def _redirect_with_ticket(request: HttpRequest, share: Share, code: str, bucket: str, key: str) -> HttpResponse:
    ticket = access.take_ticket(share, bucket, key, client_address(request))
    if ticket is None:
        share.refresh_from_db()
        require_open(share)
        raise LinkClosed(rules.LIMIT_REACHED)
    return redirect(reverse("sharing:ticket", args=(code, ticket)))


@transfer
def _send_through_us(request: HttpRequest, share: Share, bucket: str, key: str, *, counts: bool) -> HttpResponseBase:
    """S18, where browsers can't reach the storage."""
    with acting_as(share.owner) as workspace:
        response = _read(request, workspace.storage(share.space), share, bucket, key)
    if counts and not access.take(share):
        response.close()
        raise LinkClosed(rules.REVOKED)
    return response


@transfer
def _send_ticketed(request: HttpRequest, share: Share, found: Ticket) -> HttpResponseBase:
    """S18 for a counted download; one that fails at the start is given back."""
    try:
        with acting_as(share.owner) as workspace:
            response = _read(request, workspace.storage(share.space), share, found.bucket, found.key)
    except Exception:
        access.give_back(found)
        raise
    access.begun(found)
    return response


@transfer
def _send_archive(share: Share, code: str) -> HttpResponseBase:
    with noting_whether_found(share, single=False), acting_as(share.owner) as workspace:
        storage = workspace.storage(share.space)
        found = visitor.read_all(storage, share, name_of(share))
    if not found.can_be_packed:
        return redirect(reverse("sharing:show", args=(code,)))
    files = found.present
    names = Names(taken=(FAILED, PADDING)).give([file.name for file in files])
    members = [Member(str(number), name, files[number].size or 0) for number, name in enumerate(names)]
    if not access.take(share):
        share.refresh_from_db()
        require_open(share)
        raise LinkClosed(rules.REVOKED)
    blocks: Iterator[bytes] = pack(
        members,
        open_object=lambda number: storage.objects.read(files[int(number)].bucket, files[int(number)].key),
        begin=later,
        comment="Packed by Pilothouse.",
    )
    title = share.download_name.removesuffix(".zip") or found.title.strip("/") or "shared"
    return attach(until_revoked(blocks, share), filename=f"{title}.zip", kind="application/zip", length=length(members))


def _read(request: HttpRequest, storage: StorageInterface, share: Share, bucket: str, key: str) -> HttpResponseBase:
    """S18, saved under the chosen or the object's own name."""

    def respond(source: ObjectStream) -> HttpResponseBase:
        return stream(RevocableStream(source, share), filename=visitor.file_name(share, key))

    return serve(request, storage.objects, bucket, key, respond=respond)


def _head(share: Share, bucket: str, key: str) -> HttpResponse:
    """The headers of a download (S19)."""
    with acting_as(share.owner) as workspace:
        info = workspace.storage(share.space).objects.info(bucket, key)
    response = HttpResponse(content_type="application/octet-stream")
    if info.size is not None:
        response["Content-Length"] = str(info.size)
    if info.etag:
        response["ETag"] = info.etag
    if info.last_modified:
        response["Last-Modified"] = http_date(info.last_modified.timestamp())
    response["Accept-Ranges"] = "bytes"
    response["Content-Disposition"] = content_disposition_header(True, visitor.file_name(share, key)) or "attachment"
    return response


class RevocableStream:
    """A stream that stops within a second, or a block, after the link was revoked."""

    def __init__(self, source: ObjectStream, share: Share) -> None:
        self._source, self._share = source, share
        self.status, self.length = source.status, source.length
        self.headers: Mapping[str, str] = source.headers

    def __iter__(self) -> Iterator[bytes]:
        return until_revoked(self._source, self._share)

    def close(self) -> None:
        self._source.close()


def until_revoked(blocks: Iterable[bytes], share: Share) -> Iterator[bytes]:
    """Yield the blocks. Once the link is revoked raise `ConnectionAbortedError`, so no client takes a part for the whole."""
    checked = time.monotonic()
    for block in blocks:
        yield block
        if time.monotonic() - checked > RECHECK_SECONDS:
            if not access.still_open(share):
                raise ConnectionAbortedError("the link was revoked during the download")
            checked = time.monotonic()


def _is_first_range(request: HttpRequest) -> bool:
    wanted = request.headers.get("Range", "")
    return not wanted or FIRST_BYTES.match(wanted) is not None


def _facts(share: Share) -> dict[str, object]:
    left = None if share.limit is None else share.limit - share.opened
    return {
        "ends": exact(share.ends_at),
        "ends_local": local(share.ends_at, share.zone),
        "ends_relative": relative(share.ends_at),
        "ends_iso": share.ends_at.isoformat(timespec="seconds"),
        "sharer": str(share.owner),
        "left": left,
    }


def _rows(code: str, found: Contents) -> list[dict[str, str]]:
    base = reverse("sharing:file", args=(code,))
    return [
        {
            "name": file.name,
            "size": "" if file.size is None else bytes_text(file.size),
            "kind": file.kind,
            "href": "" if file.is_missing else f"{base}?{file.query}".rstrip("?"),
        }
        for file in found.files
    ]
