"""The `with_workspace` decorator for views that call the service."""

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
from dashboard.tokens.errors import GrantUnusable, TokenMissing
from dashboard.tokens.last_known import UNANSWERED, Readings, Replay
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.refusals import lost_at
from dashboard.tokens.workspace import Workspace
from dashboard.web.answers import is_dialog
from dashboard.web.cards import Problem, marked
from dashboard.web.downloads import is_file_request
from dashboard.web.htmx import wants_part
from dashboard.web.problems import problem_of

log = logging.getLogger(__name__)

P = ParamSpec("P")
# Each replay may reach a read that the previous one didn't, so repeat up to this often.
MAX_REPLAYS = 3
RECENT = "recent"
MAX_RECENT = 6


@dataclass(frozen=True, slots=True)
class Shown:
    """Why a page shows last known data, and its age."""

    problem: Problem
    replay: Replay

    @property
    def as_of(self) -> datetime | None:
        return self.replay.as_of


class WorkspaceRequest(PersonRequest):
    """A signed-in request with its workspace, as `with_workspace` passes it to a view."""

    workspace: Workspace
    known_name: Callable[[str], str]


def with_workspace(
    view: Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Require a sign-in, set `request.workspace`, and save token usage and readings afterwards.

    When the service doesn't answer a page's reads, the page is drawn from last known data.
    """

    @wraps(view)
    @signed_in
    def inner(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = cast("WorkspaceRequest", request)
        readings = Readings()
        asked.workspace = workspace = Workspace(request.user, readings=readings)
        asked.known_name = workspace.known_name
        if _names_project(asked):
            learn_projects(workspace)
        words = ""
        try:
            _require_reach(asked, workspace)
            return _answer(asked, view(asked, *args, **kwargs))
        except TokenRefused as refused:
            words = refused.text or str(refused)
            raise
        except TokenMissing as missing:
            raise _explained(asked, missing) from missing
        except UNANSWERED as failure:
            if not _may_show_last_known(asked):
                raise
            return _from_last_known(asked, readings, failure, lambda: view(asked, *args, **kwargs))
        finally:
            try:
                workspace.flush(words)
                readings.flush()
            except DatabaseError:
                log.exception("The usage of the stored tokens could not be saved.")

    return inner


def _explained(request: WorkspaceRequest, missing: TokenMissing) -> TokenMissing:
    """Return the reason where a person had access through a grant that no longer works."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    place = str(names.get("space") or names.get("ref") or "")
    is_plain = not (missing.reason or missing.broken or missing.locked)
    lost = lost_at(request.workspace, missing.kind, place) if is_plain else None
    return GrantUnusable(lost.reason, kind=missing.kind, space=place) if lost else missing


def _require_reach(request: WorkspaceRequest, workspace: Workspace) -> None:
    """Answer 404 for a bucket, objects or folders outside a grant, also where a page would ask no service about them."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    # Without a grant the body stays unread, as views may read it themselves.
    if "bucket" in names and workspace.grant_at("storage", names["space"]):
        for data in (request.GET, request.POST):
            folders = [path if path.endswith("/") else f"{path}/" for path in data.getlist("folder") if path]
            workspace.require_reach(names["space"], names["bucket"], keys=data.getlist("key"), folders=folders)


def recent(request: HttpRequest) -> list[str]:
    """Return the projects and spaces whose pages were opened in this session, the latest first."""
    return list(request.session.get(RECENT, ()))


def _answer(request: WorkspaceRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Remember which project the page is about.

    A part carries Retry-After for the script that fetches parts one by one (turns.js).
    """
    names = request.resolver_match.kwargs if request.resolver_match else {}
    place, used = str(names.get("ref") or names.get("space") or ""), recent(request)
    is_page = request.method == "GET" and not wants_part(request) and not is_file_request(request)
    if place and is_page and used[:1] != [place]:
        request.session[RECENT] = [place, *(one for one in used if one != place)][:MAX_RECENT]
    if request.workspace.rest and wants_part(request):
        response.headers.setdefault("Retry-After", str(ceil(request.workspace.rest)))
    return response


def _names_project(request: WorkspaceRequest) -> bool:
    names = request.resolver_match.kwargs if request.resolver_match else {}
    return "ref" in names or "space" in names


def _may_show_last_known(request: WorkspaceRequest) -> bool:
    """Exclude dialogs, which lead to a write, and files, which are saved."""
    return request.method == "GET" and not is_dialog(request) and not is_file_request(request)


def _from_last_known(
    request: WorkspaceRequest, readings: Readings, failure: InterfaceError, view: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Draw the page from last known data; raise the failure if that is not enough."""
    problem = problem_of(failure)
    for _ in range(MAX_REPLAYS):
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
