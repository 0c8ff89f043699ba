"""The decorator of every view that talks to the service."""

import logging
from collections.abc import Callable
from functools import partial, wraps
from math import ceil
from typing import Concatenate, ParamSpec, cast

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase

from dashboard.interfaces.errors import TokenRefused
from dashboard.team.access import PersonRequest, signed_in
from dashboard.tokens.workspace import Workspace
from dashboard.web.frame import prepare
from dashboard.web.htmx import wants_part
from dashboard.web.pool import while_waiting

log = logging.getLogger(__name__)

P = ParamSpec("P")


class WorkspaceRequest(PersonRequest):
    """A request of somebody signed in, with what the person can do. Only `with_workspace` makes one."""

    workspace: Workspace


def with_workspace(
    view: Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Ask for a sign-in, make `request.workspace` for this one request, and write down afterwards how its tokens fared."""

    @wraps(view)
    @signed_in
    def inner(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = cast("WorkspaceRequest", request)
        asked.workspace = Workspace(request.user)
        words = ""
        try:
            with while_waiting(partial(prepare, asked)):
                return _with_rest(asked, view(asked, *args, **kwargs))
        except TokenRefused as refused:
            words = refused.text or str(refused)
            raise
        finally:
            try:
                asked.workspace.flush(words)
            except DatabaseError:
                log.exception("It could not be written down how the stored tokens fared.")

    return inner


def _with_rest(request: WorkspaceRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Tell a script that fetches parts in turn (turns.js) when the service takes the next call."""
    if request.workspace.rest and wants_part(request):
        response.headers.setdefault("Retry-After", str(ceil(request.workspace.rest)))
    return response
