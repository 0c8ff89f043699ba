"""The product's addresses, and views that fail or answer in every way that `web` supports."""

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path

from dashboard.features.patterns.forms import ShortForm
from dashboard.features.patterns.records import failure
from dashboard.urls import handler400, handler403, handler404, handler500
from dashboard.web.files.downloads import file_view
from dashboard.web.http.requests import sized_body
from dashboard.web.limits.transfers import Busy, transfer
from dashboard.web.pages import confirm as asking
from dashboard.web.pages.answers import done, submit
from dashboard.web.pages.errors import NeedsToken

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

ACTS: list[str] = []
FRESH = {"count": 3}


def fail(request: HttpRequest, kind: str) -> HttpResponse:
    match kind:
        case "missing":
            raise Http404
        case "forbidden":
            raise PermissionDenied("Only owners may do this.")
        case "management-token":
            raise NeedsToken("management")
        case "storage-token":
            raise NeedsToken("storage", "billing")
        case "busy":
            raise Busy
        case "database":
            raise OperationalError("database or disk is full")
        case "crash":
            raise ZeroDivisionError
    raise failure(kind)


@file_view
def file(request: HttpRequest, kind: str) -> HttpResponse:
    raise failure(kind)


def add(request: HttpRequest) -> HttpResponse:
    form = ShortForm(request.POST or None)

    def perform() -> str:
        name: str = form.cleaned_data["name"]
        if name == "field":
            raise ValidationError({"name": "Not this one."})
        if name == "whole":
            raise ValidationError("Not like this.")
        if name in ("conflict", "unknown-outcome", "broken", "unreachable", "slow-down", "rejected"):
            raise failure(name)
        ACTS.append(name)
        return name

    return submit(
        request,
        form,
        context={"title": "Add a thing", "button": "Add thing"},
        perform=perform,
        then=lambda name: done(
            request, f"{name} added.", changed=("things", "counts"), to="/patterns/", link=("Look", "/patterns/list/")
        ),
    )


def remove(request: HttpRequest) -> HttpResponse:
    return asking.confirm(
        request,
        title="Delete Photos?",
        button="Delete Photos",
        consequences=["Links stop working."],
        perform=lambda: ACTS.append("removed"),
        then=lambda _: done(request, "Photos deleted.", changed="things", to="/patterns/"),
        back="/patterns/",
        typed="Photos",
        count=FRESH["count"],
    )


def stuck(request: HttpRequest) -> HttpResponse:
    def perform() -> None:
        raise failure("conflict")

    return asking.confirm(
        request,
        title="Delete it?",
        button="Delete it",
        consequences=[],
        perform=perform,
        then=lambda _: done(request, "Deleted.", to="/patterns/"),
        back="/patterns/",
    )


@transfer
def upload(request: HttpRequest) -> HttpResponse:
    total = sum(len(block) for block in sized_body(request, most=1000))
    return HttpResponse(f"{total} bytes", content_type="text/plain")


urlpatterns = [
    path("fail/<slug:kind>/", fail),
    path("file/<slug:kind>/", file),
    path("add/", add),
    path("remove/", remove),
    path("stuck/", stuck),
    path("upload/", upload),
    path("", include("dashboard.urls")),
]
