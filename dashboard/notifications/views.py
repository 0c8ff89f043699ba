"""The notifications page, a person's e-mail settings, and unsubscribing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import cast

from django.contrib.auth.decorators import login_not_required, login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from dashboard.notifications import channels, inbox, kinds, mail
from dashboard.notifications.forms import MailForm, lead
from dashboard.notifications.models import Delivery, Notification, Outage, State
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.frame import Viewer, signed_in
from dashboard.web.pages.htmx import htmx_of
from dashboard.web.pages.pagination import part_of_total
from dashboard.web.pages.places import known_name

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A notification to show."""

    pk: int
    title: str
    kind: str
    place: str
    address: str
    made_at: datetime
    is_read: bool


@dataclass(frozen=True, slots=True)
class Failing:
    """A failing channel, and how many messages wait for it."""

    name: str
    outage: Outage
    waiting: int


@require_GET
@login_required
def index(request: HttpRequest) -> HttpResponse:
    viewer = cast("Viewer", request.user)
    unread = request.GET.get("unread") == "1"
    found = inbox.listed(viewer.pk, unread=unread)
    total = found.count()
    draw = partial(_row, name=partial(known_name, request))
    context = {
        "page": part_of_total(request, total, lambda start, end: [draw(row) for row in found[start:end]], limit=PER_PAGE),
        "total": total,
        "unread": unread,
        "may_mark": total if unread else inbox.unread_count(viewer.pk),
        "failing": _failing() if viewer.is_owner else [],
    }
    return page(request, "notifications/index.html", context, parts={"notifications": "notifications/_list.html"})


@require_POST
@login_required
def show(request: HttpRequest, notification_id: int) -> HttpResponse:
    """Mark one as read and open its page."""
    row = get_object_or_404(inbox.listed(cast("Viewer", request.user).pk), pk=notification_id)
    inbox.mark_read(Notification.objects.filter(pk=row.pk))
    return (
        HttpResponseClientRedirect(row.address)
        if htmx_of(request)
        else HttpResponse(status=303, headers={"Location": row.address})
    )


@require_POST
@login_required
def read(request: HttpRequest, notification_id: int) -> HttpResponse:
    found = inbox.listed(cast("Viewer", request.user).pk).filter(pk=notification_id)
    if not found.exists():
        raise Http404
    inbox.mark_read(found)
    return done(request, "Marked as read.", to=_index(request))


@require_POST
@login_required
def read_all(request: HttpRequest) -> HttpResponse:
    inbox.mark_read(inbox.listed(cast("Viewer", request.user).pk))
    return done(request, "All notifications marked as read.", to=reverse("notifications:index"))


@require_http_methods(["GET", "POST"])
@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    viewer = cast("Viewer", request.user)
    form = MailForm(posted(request), chosen=inbox.mailed_kinds(viewer.pk))
    back = reverse("notifications:index")
    return submit(
        request,
        form,
        perform=lambda: inbox.choose(viewer.pk, form.wanted),
        then=lambda _: done(request, "Notification settings saved.", to=back),
        context={"title": "Notification settings", "lead": lead(), "button": "Save", "back": back},
    )


@csrf_exempt
@login_not_required
@require_http_methods(["GET", "POST"])
def unsubscribe(request: HttpRequest, code: str) -> HttpResponse:
    """Unsubscribe from e-mail of one kind by the signed address in it. Mail clients POST here without a page (RFC 8058)."""
    found = mail.subscription(code)
    if found is None:
        raise Http404("This link is incomplete or has expired. Your notification settings have the same choice.")
    person_id, kind = found
    if request.method == "POST":
        inbox.choose(person_id, {kind.name: False})
    context = {"kind": kind.title, "is_done": request.method == "POST"}
    return page(request, "notifications/unsubscribe.html", context)


def unread_count(request: HttpRequest) -> str:
    """Return the count on the bell; empty for none."""
    count = inbox.unread_count(cast("Viewer", request.user).pk) if signed_in(request) else 0
    return "99+" if count >= inbox.MOST_COUNTED else str(count or "")


def _row(row: Notification, *, name: Callable[[str], str]) -> Row:
    return Row(
        pk=row.pk,
        title=row.title,
        kind=kinds.title_of(row.kind),
        place=row.place and (name(row.place) or row.place),
        address=row.address,
        made_at=row.made_at,
        is_read=row.read_at is not None,
    )


def _failing() -> list[Failing]:
    waiting = Delivery.objects.filter(state=State.WAITING)
    outages = Outage.objects.order_by("since")
    return [
        Failing(channels.name_of(outage.channel), outage, waiting.filter(channel=outage.channel).count()) for outage in outages
    ]


def _index(request: HttpRequest) -> str:
    address = reverse("notifications:index")
    return f"{address}?unread=1" if request.GET.get("unread") == "1" else address
