"""View decorators that require a sign-in or the owner role."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django_htmx.middleware import HtmxDetails

from dashboard.team.models import Person

P = ParamSpec("P")


class PersonRequest(HttpRequest):
    """A signed-in request, as the decorators below pass it to views."""

    user: Person
    htmx: HtmxDetails


def signed_in(
    view: Callable[Concatenate[PersonRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Require a sign-in."""

    @wraps(view)
    @login_required
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(cast("PersonRequest", request), *args, **kwargs)

    return inner


def owners_only(
    view: Callable[Concatenate[PersonRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Require a sign-in by an owner."""

    @wraps(view)
    @signed_in
    def inner(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_owner:
            raise PermissionDenied("Only an owner of the team can do this.")
        return view(request, *args, **kwargs)

    return inner
