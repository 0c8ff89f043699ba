"""Create, list, change, revoke and restore file requests."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog.keys import folder, printable
from dashboard.features.file_requests.forms import EditForm, RequestFilter, RequestForm
from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import requests
from dashboard.features.file_requests.services.requests import Row
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.http.requests import public_address
from dashboard.web.input.forms import posted
from dashboard.web.pages import pagination
from dashboard.web.pages.answers import dialog, done, page, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.navigation import inner_address

PER_PAGE = 50
LIST = "file-requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A file request in the list. `address` is the link, if it is one's own and can be copied."""

    row: Row
    address: str
    browser: str


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("files requested")
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Request files into a folder. S4, since the bucket has to be private."""
    request.workspace.require("storage", space)
    request.workspace.require_act("storage", space, "share", "upload")
    into = folder(request.GET.get("folder", ""))
    through = request.workspace.grant_at("storage", space)
    form = RequestForm(posted(request), grant=through.grant if through else None)
    place = printable(f"{bucket}/{into}")
    context = {
        "title": "Request files",
        "lead": f"Anyone with the link can send files to {place}. You accept or reject each. They aren't scanned for malware.",
        "back": inner_address("bucket", space, bucket, path=into),
        "button": "Create request",
    }

    def then(made: tuple[FileRequest, str]) -> HttpResponse:
        asked, code = made
        shown = {**context, "title": "File request created", "lead": "", "asked": asked, "address": address_of(request, code)}
        response = dialog(request, "file_requests/_made.html", shown)
        response["HX-Trigger"] = "requests:changed"
        return response

    return submit(
        request,
        form,
        "file_requests/_form.html",
        perform=lambda: requests.make(request.workspace, space, bucket, into, form.terms),
        then=then,
        context=context,
    )


@require_safe
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    """List file requests, newest first; owners see all."""
    form = RequestFilter.read(request.GET)
    found = requests.visible(request.user)
    if state := form.cleaned_data["state"]:
        found = found.in_state(state)
    total = found.count()
    shown = pagination.part_of_total(
        request, total, lambda start, end: _lines(request, requests.rows(request.user, found[start:end])), limit=PER_PAGE
    )
    context = {
        "form": form,
        "page": shown,
        "total": total,
        "filtered": bool(form.kept),
        "everybody": request.user.is_owner,
    }
    return page(request, "file_requests/index.html", context, parts={LIST: "file_requests/_list.html"})


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@needs("file request changed")
def edit(request: PersonRequest, request_id: int) -> HttpResponse:
    """Change the terms; the address stays. Only the request's owner can."""
    asked = find(request, request_id)
    if asked.owner_id != request.user.pk:
        raise Http404("There is no such request, or it is not yours.")
    form = EditForm(posted(request), asked=asked)
    back = reverse("file_requests:inbox", args=(asked.pk,))
    return submit(
        request,
        form,
        "file_requests/_form.html",
        perform=lambda: requests.change(request.user, asked, form.terms),
        then=lambda _: done(request, "Request changed. Its address stays.", changed="requests", to=back),
        context={"title": f"Request “{asked.title}”", "back": back, "button": "Save request"},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def revoke(request: PersonRequest, request_id: int) -> HttpResponse:
    """Revoke a request. Takes effect at once, and can be undone."""
    asked = find(request, request_id)
    return confirm(
        request,
        title=f"Revoke the request “{asked.title}”",
        button="Revoke request",
        consequences=["The link takes no more files. Those received stay.", "You can restore it later."],
        perform=lambda: requests.revoke(request.user, asked),
        then=lambda _: done(
            request,
            f"Request “{asked.title}” revoked.",
            changed="requests",
            to=reverse("file_requests:index"),
            undo=reverse("file_requests:restore", args=(asked.pk,)),
        ),
        back=reverse("file_requests:index"),
        danger=False,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@needs("file request restored")
def restore(request: PersonRequest, request_id: int) -> HttpResponse:
    """Restore a revoked request."""
    asked = find(request, request_id)
    return confirm(
        request,
        title=f"Restore the request “{asked.title}”",
        button="Restore request",
        consequences=["The same link takes files again until it expires."],
        perform=lambda: requests.restore(request.user, asked),
        then=lambda _: done(request, f"Request “{asked.title}” restored.", changed="requests", to=reverse("file_requests:index")),
        back=reverse("file_requests:index"),
        danger=False,
    )


def find(request: PersonRequest, request_id: int) -> FileRequest:
    """Return a request that the person may see."""
    asked = requests.visible(request.user).filter(pk=request_id).first()
    if asked is None:
        raise Http404("There is no such request, or it is not yours.")
    return asked


def address_of(request: HttpRequest, code: str) -> str:
    """Return the absolute address of a file request."""
    return public_address(request, reverse("file_requests:open", args=(code,)))


def line_of(request: PersonRequest, row: Row) -> Line:
    asked = row.asked
    code = asked.code if row.is_mine and row.is_current else ""
    return Line(
        row=row,
        address=address_of(request, code) if code else "",
        browser=inner_address("bucket", asked.space, asked.bucket, path=asked.folder),
    )


def _lines(request: PersonRequest, rows: list[Row]) -> list[Line]:
    return [line_of(request, row) for row in rows]
