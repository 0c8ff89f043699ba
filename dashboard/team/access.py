"""The view decorator that requires a sign-in and the role needed at the address."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django_htmx.middleware import HtmxDetails

from dashboard.team.models import Person
from dashboard.team.rights import require_at

P = ParamSpec("P")


class PersonRequest(HttpRequest):
    """A signed-in request, as decorated views receive it."""

    user: Person
    htmx: HtmxDetails


def signed_in(
    view: Callable[Concatenate[PersonRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Require a sign-in, and the role for the acts that the view `needs` or `sends`."""

    @wraps(view)
    @login_required
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = cast("PersonRequest", request)
        if asked.resolver_match:
            require_at(asked.user, asked.resolver_match.func)
        return view(asked, *args, **kwargs)

    return inner
