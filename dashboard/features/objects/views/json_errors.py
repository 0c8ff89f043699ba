"""Failures for the upload script: the same problems as on pages, as JSON; nobody is sent to the sign-in page behind its back."""

import logging
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import ParamSpec

from django.db import OperationalError
from django.http import HttpResponseBase, HttpResponseRedirect, JsonResponse

from dashboard.features.objects.services.receipts import UnansweredUpload
from dashboard.interfaces.errors import InterfaceError
from dashboard.web import local_problems
from dashboard.web.cards import Problem, marked
from dashboard.web.errors import NeedsToken, Stopped
from dashboard.web.problems import problem_of
from dashboard.web.requests import BadBody
from dashboard.web.transfers import Busy

log = logging.getLogger(__name__)

P = ParamSpec("P")


def speaks_json(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Every failure that the error middleware would draw becomes `{title, text, retry_after}` with its status.

    The way to the sign-in page becomes 401: a script would follow it, and take that page for the answer.
    """

    @wraps(view)
    def speaking(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            response = view(*args, **kwargs)
        except InterfaceError as error:
            receipt = asdict(error.receipt) if isinstance(error, UnansweredUpload) else None
            return as_json(problem_of(error), said=error.text, receipt=receipt)
        except (Busy, BadBody, Stopped, OperationalError, NeedsToken) as error:
            return as_json(_own(error))
        if isinstance(response, HttpResponseRedirect):
            return refusal(401, "You are signed out.", "Sign in again in another tab, then retry here.")
        return response

    return speaking


def _own(error: Exception) -> Problem:
    """What it means that this dashboard itself stopped."""
    match error:
        case Busy():
            return local_problems.busy(own=error.own)
        case BadBody():
            return local_problems.bad_body(error.status, str(error))
        case Stopped():
            return error.problem
        case NeedsToken():
            return local_problems.needs_token(error.kind, error.space, None, reading=False)
    log.error("Our database failed.", exc_info=error)
    return local_problems.of_failure(error)


def refusal(status: int, title: str, text: str = "") -> JsonResponse:
    """A problem that only this feature knows."""
    return JsonResponse({"title": title, "text": text, "retry_after": None}, status=status)


def as_json(problem: Problem, *, said: str = "", receipt: dict[str, object] | None = None) -> JsonResponse:
    text = f"The service said: “{said}”" if said else problem.result
    response = JsonResponse(
        {"title": f"{problem.title}.", "text": text, "retry_after": problem.retry_after, "receipt": receipt},
        status=problem.status,
    )
    return marked(response, problem)
