"""Downloads by a share link: one file, a counted one again, all of them as a ZIP."""

import time
from collections.abc import Iterable, Iterator, Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.http import content_disposition_header, http_date
from django.views.decorators.http import require_safe

from dashboard.catalog.archive_names import Names
from dashboard.features.sharing import rules
from dashboard.features.sharing.rules import require_objects, require_open
from dashboard.features.sharing.services import cache, visitor
from dashboard.features.sharing.services.visitor import located, noting_whether_found, single_of
from dashboard.interfaces.storage import StorageInterface
from dashboard.links import access, end_states
from dashboard.links.end_states import LinkClosed
from dashboard.links.guard import ByCode, is_crawler, is_locked
from dashboard.links.ledger import name_of
from dashboard.links.models import Share, Ticket
from dashboard.links.openings import visit_of
from dashboard.links.signed import signed_address
from dashboard.tokens.actor import acting_as
from dashboard.tokens.workspace import Workspace
from dashboard.web.files.archive import FAILED, PADDING, Member, length, pack
from dashboard.web.files.downloads import Stream, attach, redirect, stream
from dashboard.web.files.ranges import is_first_range, serve
from dashboard.web.http.requests import client_address, read_number
from dashboard.web.limits import throttle
from dashboard.web.limits.throttle import of_address
from dashboard.web.limits.transfers import transfer
from dashboard.web.process.parallel import later

RECHECK_SECONDS = 1.0

by_code = ByCode(Share, rules.FILE_MISSING)


@require_safe
@by_code
def file(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """One file of a link. Crawlers are sent to the page, as is everybody where it offers no download."""
    require_objects(share)
    require_open(share)
    if is_locked(request, share) or is_crawler(request) or share.hides_download:
        return redirect(reverse("sharing:show", args=(code,)))
    return send(request, share, code, *located(share, read_number(request.GET.get("n", "")), request.GET.get("key", "")))


@require_safe
@by_code
def ticketed(request: HttpRequest, share: Share, code: str, ticket: str) -> HttpResponseBase:
    """A counted download: its bytes, also in ranges and again, for an hour and for the client that has the ticket."""
    found = require_ticket(request, share, ticket)
    if share.hides_download:
        return redirect(reverse("sharing:show", args=(code,)))
    if request.method == "HEAD":
        return _head(share, found.bucket, found.key)
    return _send_ticketed(request, share, found)


@require_safe
@by_code
def archive(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """All files as one ZIP: S13, then S18 of each while it is sent. Counts as one download; HEAD does not."""
    require_objects(share)
    require_open(share)
    if is_locked(request, share) or is_crawler(request) or share.hides_download or single_of(share):
        return redirect(reverse("sharing:show", args=(code,)))
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    return _send_archive(request, share, code)


def send(request: HttpRequest, share: Share, code: str, bucket: str, key: str) -> HttpResponseBase:
    """Count one download and send the browser to it. HEAD and every range but the first count nothing."""
    with noting_whether_found(share, single=single_of(share) is not None):
        if request.method == "HEAD":
            return _head(share, bucket, key)
        if share.limit is not None:
            return redirect(reverse("sharing:ticket", args=(code, new_ticket(request, share, bucket, key))))
        counts = is_first_range(request)
        with acting_as(share.owner, share.grants) as workspace:
            base = workspace.redirect_url(share.space)
            address = _signed_address(workspace, share, base, bucket, key) if base else ""
        if not address:
            return _send_through_us(request, share, bucket, key, counts=counts)
        if counts and not access.take(share, visit_of(request, downloaded=True)):
            raise LinkClosed(end_states.REVOKED)
        return redirect(address)


def new_ticket(request: HttpRequest, share: Share, bucket: str, key: str) -> str:
    """Count one opening of a limited link; raise `LinkClosed` if none is left."""
    ticket = access.take_ticket(share, bucket, key, client_address(request))
    if ticket is None:
        share.refresh_from_db()
        require_open(share)
        raise LinkClosed(rules.limit_reached(share))
    return ticket


def require_ticket(request: HttpRequest, share: Share, code: str) -> Ticket:
    require_open(share, has_ticket=True)
    found = access.ticket_of(share, code, client_address(request))
    if found is None:
        throttle.count(of_address(client_address(request)))
        raise LinkClosed(rules.limit_reached(share) if share.limit is not None else end_states.UNKNOWN)
    return found


class RevocableStream:
    """A stream that stops within a second, or a block, after the link was revoked."""

    def __init__(self, source: Stream, share: Share) -> None:
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


@transfer
def _send_through_us(request: HttpRequest, share: Share, bucket: str, key: str, *, counts: bool) -> HttpResponseBase:
    """S18, where browsers can't reach the storage."""
    with acting_as(share.owner, share.grants) as workspace:
        response = _read(request, workspace.storage(share.space), share, bucket, key)
    if counts and not access.take(share, visit_of(request, downloaded=True)):
        response.close()
        raise LinkClosed(end_states.REVOKED)
    return response


@transfer
def _send_ticketed(request: HttpRequest, share: Share, found: Ticket) -> HttpResponseBase:
    """S18 for a counted download; one that fails at the start is given back."""
    try:
        with acting_as(share.owner, share.grants) as workspace:
            response = _read(request, workspace.storage(share.space), share, found.bucket, found.key)
    except Exception:
        access.give_back(found)
        raise
    access.begun(found, visit_of(request, downloaded=True))
    return response


@transfer
def _send_archive(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    with noting_whether_found(share, single=False), acting_as(share.owner, share.grants) as workspace:
        storage = workspace.storage(share.space)
        found = visitor.read_all(storage, share, name_of(share))
    if not found.can_be_packed:
        return redirect(reverse("sharing:show", args=(code,)))
    files = found.present
    names = Names(taken=(FAILED, PADDING)).give([file.name for file in files])
    members = [Member(str(number), name, files[number].size or 0) for number, name in enumerate(names)]
    if not access.take(share, visit_of(request, downloaded=True)):
        share.refresh_from_db()
        require_open(share)
        raise LinkClosed(end_states.REVOKED)
    blocks: Iterator[bytes] = pack(
        members,
        open_object=lambda number: storage.objects.read(files[int(number)].bucket, files[int(number)].key),
        begin=later,
        comment="Packed by Pilothouse.",
    )
    title = share.download_name.removesuffix(".zip") or found.title.strip("/") or "shared"
    return attach(
        until_revoked(workspace.followed(blocks), share), filename=f"{title}.zip", kind="application/zip", length=length(members)
    )


def _read(request: HttpRequest, storage: StorageInterface, share: Share, bucket: str, key: str) -> HttpResponseBase:
    """S18, saved under the chosen or the object's own name."""

    def respond(source: Stream) -> HttpResponseBase:
        return stream(RevocableStream(source, share), filename=visitor.file_name(share, key))

    return serve(request, storage.objects, bucket, key, respond=respond)


def _head(share: Share, bucket: str, key: str) -> HttpResponse:
    """The headers of a download (S19)."""
    with acting_as(share.owner, share.grants) as workspace:
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
