"""Addresses of the pattern pages, which exist with DEBUG or PATTERNS only."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import path

from dashboard.features.patterns import views

P = ParamSpec("P")


def with_patterns(
    view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    @wraps(view)
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not (settings.DEBUG or settings.PATTERNS):
            raise Http404
        return view(request, *args, **kwargs)

    return inner


app_name = "patterns"
urlpatterns = [
    path("", with_patterns(views.index), name="index"),
    path("list/", with_patterns(views.things), name="list"),
    path("form/", with_patterns(views.new), name="form"),
    path("confirm/<slug:tier>/", with_patterns(views.delete), name="confirm"),
    path("problem/<slug:kind>/", with_patterns(views.problem), name="problem"),
]
