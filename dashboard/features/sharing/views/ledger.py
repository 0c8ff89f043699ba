"""The list of share links."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard.links import reading
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web import paging
from dashboard.web.answers import page


@require_safe
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    """One's own links, newest first; an owner of the team sees everybody's."""
    shares = reading.visible(request.user)
    total = shares.count()
    asked = paging.stay(paging.window(request), total)
    end = asked.offset + asked.limit
    rows = reading.rows(request.user, shares[asked.offset : end])
    found = paging.Page(
        rows=rows,
        offset=asked.offset,
        next=paging.address(request, end) if end < total else "",
        previous=paging.address(request, max(0, asked.offset - asked.limit)) if asked.offset else "",
    )
    context = {"page": found, "total": f"{total:,}", "everybody": request.user.is_owner, "here": request.get_full_path()}
    return page(request, "sharing/ledger.html", context, parts={"links": "sharing/_ledger.html"})
