"""Failures for the upload script: the same problems as on pages, as JSON."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.http import HttpResponseBase, JsonResponse

from dashboard.interfaces.errors import InterfaceError
from dashboard.web import ownproblems
from dashboard.web.errors import NeedsToken
from dashboard.web.problems import Problem, problem_of
from dashboard.web.requests import BadBody
from dashboard.web.transfers import Busy

P = ParamSpec("P")


def speaks_json(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Every failure that the error middleware would draw becomes `{title, text, retry_after}` with its status."""

    @wraps(view)
    def speaking(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(*args, **kwargs)
        except InterfaceError as error:
            return as_json(problem_of(error), said=error.text)
        except Busy:
            return as_json(ownproblems.busy())
        except BadBody as error:
            return as_json(ownproblems.bad_body(error.status, str(error)))
        except NeedsToken as needed:
            return as_json(ownproblems.needs_token(needed.kind, needed.space, None, reading=False))

    return speaking


def refusal(status: int, title: str, text: str = "") -> JsonResponse:
    """A problem that only this feature knows."""
    return JsonResponse({"title": title, "text": text, "retry_after": None}, status=status)


def as_json(problem: Problem, *, said: str = "") -> JsonResponse:
    text = f"The service said: “{said}”" if said else problem.result
    response = JsonResponse(
        {"title": f"{problem.title}.", "text": text, "retry_after": problem.retry_after}, status=problem.status
    )
    if problem.retry_after is not None:
        response["Retry-After"] = str(problem.retry_after)
    return response
