"""The decorator of every view that talks to the service."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase

from dashboard.interfaces.errors import TokenRefused
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace

log = logging.getLogger(__name__)

P = ParamSpec("P")


class WorkspaceRequest(HttpRequest):
    """A request of somebody signed in. Only `with_workspace` makes one (by adding the attribute)."""

    workspace: Workspace
    if TYPE_CHECKING:

        @property
        def user(self) -> Person: ...


def with_workspace(
    view: Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Ask for a sign-in, make `request.workspace` for this one request, and write down afterwards how its tokens fared."""

    @wraps(view)
    @login_required
    def inner(request: WorkspaceRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        workspace = request.workspace = Workspace(request.user)
        words = ""
        try:
            return view(request, *args, **kwargs)
        except TokenRefused as refused:
            words = refused.text or str(refused)
            raise
        finally:
            try:
                workspace.flush(words)
            except DatabaseError:
                log.exception("It could not be written down how the stored tokens fared.")

    return inner
