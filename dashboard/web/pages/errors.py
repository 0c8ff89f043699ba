"""Render failures in one place: as a page, in the open dialog, or as a card in the page part."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from dashboard.interfaces.errors import Effect, InterfaceError, NotAllowed, TokenRefused
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.paths import BadPathError, check_segments
from dashboard.web.failures import local_problems
from dashboard.web.failures.cards import Problem, Step, Stopped, Unconfirmed, marked
from dashboard.web.failures.problems import EFFECTS, problem_of
from dashboard.web.failures.request_log import PROBLEM
from dashboard.web.failures.retries import TRIES_HEADER, retry_of
from dashboard.web.files.downloads import is_file_request
from dashboard.web.http.requests import BadBody
from dashboard.web.input.idempotency import AlreadySent
from dashboard.web.limits.transfers import Busy
from dashboard.web.pages import notices
from dashboard.web.pages.answers import is_dialog
from dashboard.web.pages.frame import signed_in
from dashboard.web.pages.htmx import htmx_of, wants_part
from dashboard.web.pages.navigation import named_page, section_step
from dashboard.web.pages.places import draft_of, known_name, place_of, with_way_back

Explain = Callable[[HttpRequest, InterfaceError, Problem], Problem]
# Set by an upper layer, see `explain_failures`.
_explainers: list[Explain] = []
_AN_ID = re.compile(r"[A-Za-z][\w-]{0,80}")
READS = {"GET", "HEAD"}
# Set in a request's META if it may have changed something.
HAS_CHANGED = "pilothouse.has_changed"
# Event that refreshes a page's strip of outcomes being checked.
OUTCOME_CHANGED = "outcome:changed"
# Sent by the retry of a page that shows only its failure. That page lacks its own style sheet and script, so success reloads it.
CARD_HEADER = "X-Card"


class NeedsToken(Exception):  # noqa: N818 - the page is an invitation, not an error
    """A page needs a token that isn't usable. `kind` is "management" or "storage".

    `broken`: the stored one can't be unsealed. `locked`: the person must unlock it first. `reason`: why access through somebody
    else's token doesn't work.
    """

    def __init__(
        self, kind: str, space: str | None = None, *, broken: bool = False, locked: bool = False, reason: str = ""
    ) -> None:
        super().__init__(f"no {kind} token is stored")
        self.kind = kind
        self.space = space
        self.broken = broken
        self.locked = locked
        self.reason = reason

    def instead(self, person: object) -> str:  # noqa: ARG002 - for subclasses
        """Return what a person can do instead of storing a token, in a sentence; "" for nothing."""
        return ""


def explain_failures(explain: Explain) -> None:
    """Register what explains failures of the service by what is known of the page's project. Once, in a `feature`."""
    _explainers[:] = [explain]


class InterfaceErrors:
    """Middleware: render exceptions of views, and keep sign-in pages out of page parts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if CARD_HEADER in request.headers and PROBLEM not in request.META and response.status_code == HTTPStatus.OK:
            return HttpResponseClientRefresh()
        return _whole_page(request, response) if htmx_of(request) else response

    def process_view(self, _request: HttpRequest, _view: object, _arguments: object, names: Mapping[str, object]) -> None:
        """Raise `Http404` for names in the address that can't be sent to a service: `.`, `..` or with a control character."""
        try:
            for name in names.values():
                check_segments(str(name))
        except BadPathError as problem:
            raise Http404(str(problem)) from problem

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        problem = _problem(request, exception)
        if problem is None:
            return None
        response = show(request, problem)
        if isinstance(exception, Unconfirmed):
            response["HX-Trigger"] = json.dumps({OUTCOME_CHANGED: True})
        return response


def show(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Answer with the problem in the form that fits the request.

    The status is 200 if only reads of a service failed (`Problem.page_status`).
    """
    status = (
        problem.status
        if is_file_request(request) and not wants_part(request)
        else problem.page_status(reading=request.method in READS)
    )
    problem = replace(problem, technical=(*problem.technical, *_request_facts(request)))
    request.META[PROBLEM] = problem
    context: dict[str, object] = {"problem": problem, "again": request.get_full_path() if request.method in READS else ""}
    if not wants_part(request):
        response = _as_page(request, problem, context, status)
    elif is_dialog(request):
        response = _in_dialog(request, problem, context, status)
    else:
        response = _in_place(request, problem, context, status)
    return marked(response, problem)


def _as_page(request: HttpRequest, problem: Problem, context: dict[str, object], status: int) -> HttpResponse:
    """Show the card inside the page frame of the address: project name, tabs, breadcrumb, label."""
    inside = signed_in(request)
    is_retried = inside and not is_file_request(request)
    context["retry"] = retry_of(request, problem, **{CARD_HEADER: "1"}) if is_retried else None
    place = place_of(request) if inside else None
    heading = place.title if place and problem.effect is not None else problem.title
    layout = "base.html" if inside else "layouts/entrance.html"
    context["problem"] = with_way_back(request, problem) if inside else problem
    steps = section_step(request.path) if inside and place is None else ()
    values = {**context, "layout": layout, "place": place, "steps": steps, "heading": heading, "draft": draft_of(request)}
    return render(request, "errors/problem.html", values, status=status)


def _in_dialog(request: HttpRequest, problem: Problem, context: dict[str, object], status: int) -> HttpResponse:
    """Fill an opening dialog with the card; in an open one, put it above the form."""
    if request.method in READS or request.headers.get("X-Dialog") == "closed":
        values = {**context, "title": problem.title, "dialog_template": "dialog/_problem.html", "in_dialog": True}
        return render(request, "dialog/_frame.html", values, status=status)
    response = render(request, "parts/_error.html", context, status=status)
    response["HX-Retarget"] = "#dialog-alert"
    response["HX-Reswap"] = "innerHTML"
    return response


def _in_place(request: HttpRequest, problem: Problem, context: dict[str, object], status: int) -> HttpResponse:
    """Show a card in the page part for a read, and a notice for a write, which leaves the part as it is."""
    if request.method not in READS:
        notice = notices.Notice(f"{problem.title}. {problem.beyond_title}".rstrip(), tone="danger")
        response = HttpResponse(notices.fragment(request, notice), status=status)
        response["HX-Reswap"] = "none"
        return response
    target = htmx_of(request).target or ""
    context["again_target"] = f"#{target}" if _AN_ID.fullmatch(target) else ""
    context["retry"] = retry_of(request, problem) if context["again_target"] else None
    context["still"] = TRIES_HEADER in request.headers
    response = render(request, "parts/_error.html", context, status=status)
    response["HX-Reswap"] = "innerHTML"
    return response


def _problem(request: HttpRequest, exception: Exception) -> Problem | None:
    problem = None
    match exception:
        case Stopped() | Unconfirmed():
            problem = exception.problem
        case InterfaceError():
            problem = _with_effect(request, exception)
            if isinstance(exception, TokenRefused) or _needs_another_token(request, exception):
                problem = replace(problem, step=_tokens_step())
        case NeedsToken():
            problem = token_needed(request, exception)
        case Http404():
            problem = local_problems.NOT_FOUND
        case PermissionDenied():
            problem = local_problems.forbidden(str(exception))
        case AlreadySent():
            problem = local_problems.ALREADY_SENT
        case Busy():
            problem = local_problems.busy(own=exception.own)
        case BadBody():
            problem = local_problems.bad_body(exception.status, str(exception))
    return problem


def _needs_another_token(request: HttpRequest, error: InterfaceError) -> bool:
    """Whether the service, and not a grant, refused to show this to the token. After a write, the way back is the step."""
    return isinstance(error, NotAllowed) and error.status is not None and request.method in READS


def _with_effect(request: HttpRequest, error: InterfaceError) -> Problem:
    """Describe a failure. If a read failed before anything was written, add that nothing was changed."""
    problem = problem_of(error)
    for explain in _explainers:
        problem = explain(request, error, problem)
    if request.method in READS or not OPERATIONS[error.operation].reads or HAS_CHANGED in request.META:
        return problem
    return replace(problem, result=f"{problem.result} {EFFECTS[Effect.REFUSED]}")


def token_needed(request: HttpRequest, needed: NeedsToken) -> Problem:
    """Describe a missing, locked or damaged token, or access that no longer works."""
    if needed.reason:
        return local_problems.unusable_grant(needed.reason, _tokens_step(), reading=request.method in READS)
    if needed.locked:
        return local_problems.locked_account(Step("Unlock your account", named_page("unlock")), reading=request.method in READS)
    called = needed.space and (known_name(request, needed.space) or needed.space)
    reading, step = request.method in READS, _token_form(needed)
    if needed.broken:
        return local_problems.broken_token(needed.kind, called, step, reading=reading)
    return local_problems.needs_token(needed.kind, called, step, reading=reading, instead=needed.instead(request.user))


def _tokens_step() -> Step:
    return Step("Go to your tokens", named_page("tokens"))


def _token_form(needed: NeedsToken) -> Step:
    query = {"kind": needed.kind, **({"space": needed.space} if needed.space else {})}
    return Step(f"Add the {needed.kind} token", f"{named_page('add')}?{urlencode(query)}")


def _request_facts(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    facts = [("Time", f"{timezone.now():%Y-%m-%d %H:%M:%S} UTC")]
    if request_id := getattr(request, "request_id", ""):
        facts.append(("Request", request_id))
    return tuple(facts)


def _whole_page(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Turn a part's redirect to the sign-in into one of the whole page, which returns afterwards."""
    if response.status_code not in (HTTPStatus.FOUND, HTTPStatus.SEE_OTHER):
        return response
    location = urlsplit(response.headers.get("Location", ""))
    if location.path not in _sign_in_paths():
        return response
    back = htmx_of(request).current_url_abs_path or "/"
    whole = HttpResponseClientRedirect(f"{location.path}?{urlencode({'next': back})}")
    if not signed_in(request):
        whole["X-Problem"] = "SignedOut"
    return whole


def _sign_in_paths() -> tuple[str, ...]:
    return (resolve_url(settings.LOGIN_URL), resolve_url("account_reauthenticate"))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature of handler404
    return show(request, local_problems.NOT_FOUND)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return show(request, local_problems.forbidden(str(exception)))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if local_problems.is_disk_full(exception):
        # Django reports a session that can't be saved as deleted.
        return server_error(request)
    # No frame, as the host or the person may be unknown.
    return marked(
        render(None, "errors/plain.html", {"problem": local_problems.BAD_REQUEST}, status=400), local_problems.BAD_REQUEST
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Show a failure of ours or of our database. No frame, as that may be what failed."""
    problem = replace(local_problems.of_failure(sys.exception()), technical=_request_facts(request))
    request.META[PROBLEM] = problem
    response = render(None, "errors/plain.html", {"problem": problem}, status=problem.status)
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(
            notices.fragment(request, notices.Notice(f"{problem.title}. {problem.result}", tone="danger")), status=problem.status
        )
        response["HX-Reswap"] = "none"
    return marked(response, problem)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature; the reason helps only an attacker
    sent = request.POST.get("csrfmiddlewaretoken") or request.headers.get("X-CSRFToken")
    is_remembered = sent == local_problems.REMEMBERED_CSRF
    return show(request, local_problems.REMEMBERED if is_remembered else local_problems.STALE_FORM)
