"""The bytes behind a share link: by a redirect to a presigned link, or through us where the count must be exact."""

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import name_of
from dashboard.features.sharing.rules.crawlers import is_preview
from dashboard.features.sharing.services import cache, contents, streams, unlock
from dashboard.features.sharing.services.visits import noticing
from dashboard.features.sharing.views import end_states
from dashboard.features.sharing.views.end_states import Dead, require_objects, require_open
from dashboard.features.sharing.views.guard import by_code
from dashboard.links import access
from dashboard.links.models import Share, Ticket
from dashboard.links.signed import signed_address
from dashboard.tokens.actor import acting_as
from dashboard.web import throttle
from dashboard.web.downloads import redirect
from dashboard.web.requests import client_address
from dashboard.web.throttle import of_address
from dashboard.web.transfers import transfer

FIRST_BYTES = re.compile(r"\s*bytes\s*=\s*0\s*-", re.IGNORECASE)


@require_safe
@by_code
def file(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """One file of a link. Somebody who only draws a preview is led to the page."""
    require_objects(share)
    require_open(share)
    if unlock.is_locked(request, share) or is_preview(request):
        return redirect(reverse("sharing:show", args=(code,)))
    return send(request, share, code, *contents.located(share, request.GET.get("n", ""), request.GET.get("key", "")))


@require_safe
@by_code
def ticketed(request: HttpRequest, share: Share, _code: str, ticket: str) -> HttpResponseBase:
    """A download that was counted: its bytes, also in pieces and again, for an hour and for the client that took it."""
    require_open(share, has_ticket=True)
    found = access.ticket_of(share, ticket, client_address(request))
    if found is None:
        throttle.count(of_address(client_address(request)))
        raise Dead(end_states.USED_UP if share.limit is not None else end_states.UNKNOWN)
    if request.method == "HEAD":
        return _head(share, found.bucket, found.key)
    return _of_ticket(request, share, found)


def send(request: HttpRequest, share: Share, code: str, bucket: str, key: str) -> HttpResponseBase:
    """Count one download and send the browser to it. A look at the head, and pieces but the first, count nothing."""
    with noticing(share, single=contents.single_of(share) is not None):
        return _send(request, share, code, bucket, key)


def _send(request: HttpRequest, share: Share, code: str, bucket: str, key: str) -> HttpResponseBase:
    if request.method == "HEAD":
        return _head(share, bucket, key)
    if share.limit is not None:
        ticket = access.take_ticket(share, bucket, key, client_address(request))
        if ticket is None:
            share.refresh_from_db()
            require_open(share)
            raise Dead(end_states.USED_UP)
        return redirect(reverse("sharing:ticket", args=(code, ticket)))
    counts = _begins(request)
    with acting_as(share.owner) as workspace:
        base = workspace.storage_public_url(share.space)
        if base is not None:
            life = settings.SHARE_LINK_SECONDS
            address = cache.ask(
                workspace,
                share,
                ("signed", base, bucket, key),
                life=life,
                question=lambda: signed_address(
                    workspace.storage(share.space), base, bucket, key, seconds=life, download=name_of(key) or True
                ),
            )
    if base is None:
        return _streamed(request, share, bucket, key, counts=counts)
    if counts and not access.take(share):
        raise Dead(end_states.ENDED)
    return redirect(address)


@transfer
def _streamed(request: HttpRequest, share: Share, bucket: str, key: str, *, counts: bool) -> HttpResponseBase:
    """S18 where browsers reach no storage."""
    with acting_as(share.owner) as workspace:
        response = streams.read(request, workspace.storage(share.space), share, bucket, key)
    if counts and not access.take(share):
        response.close()
        raise Dead(end_states.ENDED)
    return response


@transfer
def _of_ticket(request: HttpRequest, share: Share, found: Ticket) -> HttpResponseBase:
    """S18 for a counted download; where nothing comes of the first try, it is not counted."""
    try:
        with acting_as(share.owner) as workspace:
            response = streams.read(request, workspace.storage(share.space), share, found.bucket, found.key)
    except Exception:
        access.give_back(found)
        raise
    access.begun(found)
    return response


def _head(share: Share, bucket: str, key: str) -> HttpResponse:
    with acting_as(share.owner) as workspace:
        return streams.head(workspace.storage(share.space), bucket, key)


def _begins(request: HttpRequest) -> bool:
    asked = request.headers.get("Range", "")
    return not asked or FIRST_BYTES.match(asked) is not None
