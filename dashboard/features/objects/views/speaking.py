"""Failures for the upload script: the same problems as on pages, as JSON; nobody is sent to the sign-in page behind its back."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.http import HttpResponseBase, HttpResponseRedirect, JsonResponse

from dashboard.interfaces.errors import InterfaceError
from dashboard.web import ownproblems
from dashboard.web.cards import Problem
from dashboard.web.errors import NeedsToken, marked
from dashboard.web.problems import problem_of
from dashboard.web.requests import BadBody
from dashboard.web.transfers import Busy

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
            return as_json(problem_of(error), said=error.text)
        except Busy:
            return as_json(ownproblems.busy())
        except BadBody as error:
            return as_json(ownproblems.bad_body(error.status, str(error)))
        except NeedsToken as needed:
            return as_json(ownproblems.needs_token(needed.kind, needed.space, None, reading=False))
        if isinstance(response, HttpResponseRedirect):
            return refusal(401, "You are signed out.", "Sign in again in another tab, then retry here.")
        return response

    return speaking


def refusal(status: int, title: str, text: str = "") -> JsonResponse:
    """A problem that only this feature knows."""
    return JsonResponse({"title": title, "text": text, "retry_after": None}, status=status)


def as_json(problem: Problem, *, said: str = "") -> JsonResponse:
    text = f"The service said: “{said}”" if said else problem.result
    response = JsonResponse(
        {"title": f"{problem.title}.", "text": text, "retry_after": problem.retry_after}, status=problem.status
    )
    return marked(response, problem)
