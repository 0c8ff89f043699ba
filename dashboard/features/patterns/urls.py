"""Every component in every state, for those who work on Pilothouse: with DEBUG or PATTERNS only."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import path

from dashboard.features.patterns import views

P = ParamSpec("P")


def switched_on(
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
    path("", switched_on(views.index), name="index"),
    path("list/", switched_on(views.things), name="list"),
    path("form/", switched_on(views.new), name="form"),
    path("confirm/<slug:tier>/", switched_on(views.delete), name="confirm"),
    path("problem/<slug:kind>/", switched_on(views.problem), name="problem"),
]
