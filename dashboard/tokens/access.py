"""The decorator of every view that talks to the service."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from math import ceil
from typing import Concatenate, ParamSpec, cast

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string

from dashboard.interfaces.errors import InterfaceError, TokenRefused
from dashboard.team.access import PersonRequest, signed_in
from dashboard.tokens.last_known import UNANSWERED, Readings, Replay, learn_projects
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.answers import is_dialog
from dashboard.web.cards import Problem, marked
from dashboard.web.downloads import is_file_request
from dashboard.web.htmx import wants_part
from dashboard.web.problems import problem_of

log = logging.getLogger(__name__)

P = ParamSpec("P")
# A page that failed is tried again this often from what is known: each time it may come to a question it did not ask before.
REPLAYS = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """Why a page shows what was last known, and as of when."""

    problem: Problem
    replay: Replay

    @property
    def as_of(self) -> datetime | None:
        return self.replay.as_of


class WorkspaceRequest(PersonRequest):
    """A request of somebody signed in, with what the person can do. Only `with_workspace` makes one."""

    workspace: Workspace
    known_name: Callable[[str], str]


def with_workspace(
    view: Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Ask for a sign-in, make `request.workspace` for this one request, and write down afterwards how its tokens fared."""

    @wraps(view)
    @signed_in
    def inner(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = cast("WorkspaceRequest", request)
        readings = Readings()
        asked.workspace = workspace = Workspace(request.user, readings=readings)
        asked.known_name = workspace.known_name
        if _names_project(asked):
            learn_projects(workspace.fingerprint(Kind.MANAGEMENT))
        words = ""
        try:
            return _with_rest(asked, view(asked, *args, **kwargs))
        except TokenRefused as refused:
            words = refused.text or str(refused)
            raise
        except UNANSWERED as failure:
            if not _may_show_last_known(asked):
                raise
            return _from_last_known(asked, readings, failure, lambda: view(asked, *args, **kwargs))
        finally:
            try:
                workspace.flush(words)
                readings.flush()
            except DatabaseError:
                log.exception("It could not be written down how the stored tokens fared.")

    return inner


def _with_rest(request: WorkspaceRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Tell a script that fetches parts in turn (turns.js) when the service takes the next call."""
    if request.workspace.rest and wants_part(request):
        response.headers.setdefault("Retry-After", str(ceil(request.workspace.rest)))
    return response


def _names_project(request: WorkspaceRequest) -> bool:
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return "ref" in names or "space" in names


def _may_show_last_known(request: WorkspaceRequest) -> bool:
    """Pages and parts of pages may; a dialog leads to an act, and a file is saved."""
    return request.method == "GET" and not is_dialog(request) and not is_file_request(request)


def _from_last_known(
    request: WorkspaceRequest, readings: Readings, failure: InterfaceError, view: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """The page from what the same tokens last read, with its age. Raises the failure where that is not enough."""
    problem = problem_of(failure)
    for _ in range(REPLAYS):
        replay = Replay(readings, failure)
        request.workspace = Workspace(request.user, readings=replay)
        request.__dict__["last_known"] = Shown(problem, replay)
        try:
            response = view()
        except InterfaceError:
            if replay.asked.keys() == readings.asked.keys():
                break
            readings = replay
            continue
        if replay.as_of is None or not isinstance(response, HttpResponse):
            break
        if wants_part(request):
            context = {"last_known": request.__dict__["last_known"]}
            response.write(render_to_string("parts/_last_known_oob.html", context, request))
        return marked(response, problem)
    request.__dict__.pop("last_known", None)
    raise failure
