"""Who may open a page."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

from dashboard.team.models import Person

P = ParamSpec("P")


class PersonRequest(HttpRequest):
    """A request of somebody signed in."""

    if TYPE_CHECKING:

        @property
        def user(self) -> Person: ...


def signed_in(
    view: Callable[Concatenate[PersonRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Ask for a sign-in first."""
    return login_required(view)


def owners_only(
    view: Callable[Concatenate[PersonRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Ask for a sign-in first, and refuse everybody but owners."""

    @wraps(view)
    @login_required
    def inner(request: PersonRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_owner:
            raise PermissionDenied("Only an owner of the team can do this.")
        return view(request, *args, **kwargs)

    return inner
