"""The `with_workspace` decorator for views that call the service."""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from http import HTTPStatus
from math import ceil
from typing import Concatenate, ParamSpec, TypeGuard, cast

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string

from dashboard.interfaces.errors import InterfaceError, TokenRefused
from dashboard.team.access import PersonRequest, signed_in
from dashboard.tokens.errors import GrantUnusable, TokenMissing
from dashboard.tokens.last_known import UNANSWERED, Readings, Replay, Slow
from dashboard.tokens.late import Left, leave, take
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.refusals import lost_at
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Problem, marked
from dashboard.web.failures.local_problems import REMEMBERED_CSRF
from dashboard.web.failures.problems import SLOW, problem_of
from dashboard.web.failures.retries import TRIES_HEADER, Retry, retry_of
from dashboard.web.files.downloads import is_file_request
from dashboard.web.pages.answers import is_dialog
from dashboard.web.pages.htmx import wants_part

log = logging.getLogger(__name__)

P = ParamSpec("P")
# Each replay may reach a read that the one before didn't, so repeat up to this often.
MAX_REPLAYS = 3
RECENT = "recent"
MAX_RECENT = 6


# Sent when a page drawn from last known data is requested again: the code of its unfinished calls.
LATE_HEADER = "X-Late"


@dataclass(frozen=True, slots=True)
class Shown:
    """Why a page shows last known data, its age, and how to request it again (not for parts of a page)."""

    problem: Problem
    replay: Replay
    retry: Retry | None = None

    # Sent by its forms instead of the page's CSRF token, so that they change nothing.
    csrf_token = REMEMBERED_CSRF

    @property
    def as_of(self) -> datetime | None:
        return self.replay.as_of

    @property
    def is_reading(self) -> bool:
        return self.problem.kind == SLOW.kind


class WorkspaceRequest(PersonRequest):
    """A signed-in request with its workspace, as `with_workspace` passes it to a view."""

    workspace: Workspace
    known_name: Callable[[str], str]


def with_workspace(
    view: Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Require a sign-in, set `request.workspace`, and save token usage and readings afterwards.

    If the service doesn't answer a page's reads, the page is drawn from last known data.
    """

    @wraps(view)
    @signed_in
    def inner(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = cast("WorkspaceRequest", request)

        def draw() -> HttpResponseBase:
            return view(asked, *args, **kwargs)

        left = take(request.headers.get(LATE_HEADER, ""), request.user.pk)
        if (patience := _patience(asked)) is not None:
            readings = Readings(patience=patience)
            try:
                return _drawn(asked, readings, left, draw)
            except Slow:
                left = Left(asked.workspace, readings)
        return _drawn(asked, Readings(under_way=left.readings.calls if left else None), left, draw)

    return inner


def require_secret_values(request: WorkspaceRequest) -> None:
    """Raise why the page is drawn from last known data, if it is: that leaves secret values out."""
    shown: Shown | None = request.__dict__.get("last_known")
    if shown:
        raise shown.replay.failure


def _drawn(
    request: WorkspaceRequest, readings: Readings, left: Left | None, draw: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Draw a page with its own workspace. Raises `Slow` if too little is known to show now. `left`: unfinished calls to reuse."""
    request.workspace = workspace = Workspace(request.user, readings=readings)
    request.known_name = workspace.known_name
    if _names_project(request):
        learn_projects(workspace)
    words = ""
    try:
        _require_reach(request, workspace)
        response = draw()
        readings.wait()
        return _answer(request, response)
    except Slow as slow:
        if remembered := _meanwhile(request, readings, slow.failure, draw):
            return remembered
        request.workspace = workspace
        raise
    except TokenRefused as refused:
        words = refused.text or str(refused)
        raise
    except TokenMissing as missing:
        raise _explained(request, missing) from missing
    except UNANSWERED as failure:
        if not _may_show_last_known(request):
            raise
        problem = problem_of(failure)
        retry = None if wants_part(request) else retry_of(request, problem)
        if remembered := _from_last_known(request, readings, failure, draw, partial(Shown, problem, retry=retry)):
            return remembered
        raise
    finally:
        _save([left.workspace, workspace] if left else [workspace], readings, words)


def _save(workspaces: Sequence[Workspace], readings: Readings, words: str) -> None:
    try:
        for workspace in workspaces:
            workspace.flush(words)
        readings.flush()
    except DatabaseError:
        log.exception("The usage of the stored tokens could not be saved.")


def _explained(request: WorkspaceRequest, missing: TokenMissing) -> TokenMissing:
    """Return the error, with the reason if the person had access through a grant that no longer works."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    place = str(names.get("space") or names.get("ref") or "")
    is_plain = not (missing.reason or missing.broken or missing.locked)
    lost = lost_at(request.workspace, missing.kind, place) if is_plain else None
    return GrantUnusable(lost.reason, kind=missing.kind, space=place) if lost else missing


def _require_reach(request: WorkspaceRequest, workspace: Workspace) -> None:
    """Raise Http404 for a bucket, objects or folders outside a grant, even if the page wouldn't call the service for them."""
    names = request.resolver_match.kwargs if request.resolver_match else {}
    # Without a grant, don't read the body: views may read it themselves.
    if "bucket" in names and workspace.grant_at("storage", names["space"]):
        for data in (request.GET, request.POST):
            folders = [path if path.endswith("/") else f"{path}/" for path in data.getlist("folder") if path]
            workspace.require_reach(names["space"], names["bucket"], keys=data.getlist("key"), folders=folders)


def recent(request: HttpRequest) -> list[str]:
    """Return the projects and spaces whose pages were opened in this session, latest first."""
    return list(request.session.get(RECENT, ()))


def _answer(request: WorkspaceRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Remember which project the page is about.

    Parts of pages get Retry-After, for the script that fetches them one by one (turns.js).
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
    """Whether last known data may be shown: not in dialogs, which lead to a write, nor in files, which are saved."""
    return request.method == "GET" and not is_dialog(request) and not is_file_request(request)


def _patience(request: WorkspaceRequest) -> float | None:
    """Return how many seconds a page waits before it is drawn from last known data; None to wait as long as the calls take.

    Repeated requests, and those of scripts, wait: a page is shown already.
    """
    is_page = not wants_part(request) and request.headers.get("Sec-Fetch-Dest", "document") == "document"
    is_again = LATE_HEADER in request.headers or TRIES_HEADER in request.headers
    return settings.PAGE_PATIENCE_MS / 1000 if is_page and not is_again and _may_show_last_known(request) else None


def _meanwhile(
    request: WorkspaceRequest, readings: Readings, failure: InterfaceError, draw: Callable[[], HttpResponseBase]
) -> HttpResponse | None:
    """Draw the page from last known data, and keep its unfinished calls for the next request. None if too little is known."""
    left = Left(request.workspace, readings)
    retry = Retry(request.get_full_path(), json.dumps({LATE_HEADER: left.code}))
    response = _from_last_known(request, readings, failure, draw, lambda replay: Shown(SLOW, replay, retry))
    if response:
        leave(left)
    return response


def _from_last_known(
    request: WorkspaceRequest,
    readings: Readings,
    failure: InterfaceError,
    draw: Callable[[], HttpResponseBase],
    describe: Callable[[Replay], Shown],
) -> HttpResponse | None:
    """Draw the page from last known data. None if too little is known."""
    for _ in range(MAX_REPLAYS):
        replay = Replay(readings, failure)
        request.workspace = Workspace(request.user, readings=replay)
        shown = request.__dict__["last_known"] = describe(replay)
        try:
            response = draw()
        except (InterfaceError, Http404):
            if replay.asked.keys() == readings.asked.keys():
                break
            readings = replay
            continue
        is_enough = replay.as_of is not None or (shown.is_reading and replay.done)
        if not is_enough or not _is_page(response):
            break
        if wants_part(request):
            response.write(render_to_string("parts/_last_known_oob.html", {"last_known": shown}, request))
        return marked(response, shown.problem)
    request.__dict__.pop("last_known", None)
    return None


def _is_page(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    """Whether the answer is a page, which can show its age, unlike a file or a redirect."""
    is_file = "Content-Disposition" in response or not response.get("Content-Type", "").startswith("text/html")
    return isinstance(response, HttpResponse) and response.status_code == HTTPStatus.OK and not is_file
