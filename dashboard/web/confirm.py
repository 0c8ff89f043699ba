"""The one way to destroy something."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse

from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.web.answers import REFUSALS, dialog, failed, is_dialog, repeat
from dashboard.web.cards import marked
from dashboard.web.idempotency import once
from dashboard.web.problems import problem_of, sentence

T = TypeVar("T")

_production_checks: list[Callable[[HttpRequest], bool]] = []

PRODUCTION = "I know that this project is production"
UNTICKED = "This project is production: tick the box to go on. Nothing was done."


def sought(request: HttpRequest, find: Callable[[], T]) -> T | None:
    """What is to be destroyed; None where the dialog is over a list that still shows it, and it is gone already.

    The view then answers with `done`, so the list tells the truth. Elsewhere a missing thing is a page, as for every read.
    """
    try:
        return find()
    except (NotFound, Http404):
        if is_dialog(request):
            return None
        raise


def confirm(
    request: HttpRequest,
    *,
    title: str,
    button: str,
    consequences: Sequence[str],
    perform: Callable[[], T],
    then: Callable[[T], HttpResponse],
    back: str,
    typed: str | None = None,
    count: int | None = None,
    danger: bool = True,
    keep: str = "Cancel",
) -> HttpResponse:
    """Asks on GET, acts on POST; a dialog for htmx and a page otherwise.

    `button` carries the verb and the object ("Delete photos"), `keep` is the way back. `typed` is what must be typed: compared
    exactly, here.
    `count` is how many things it touches, counted for this very request: when it differs from what the
    question showed, nothing happens and the new number is shown. Refusals (of the service, or a `ValidationError`
    of ours) are a message on the question, 422. Where the address belongs to a project that the team calls production, a
    box must be ticked as well (`add_production_check`).
    """
    production = danger and on_production(request)

    def ask(problem: str = "", *, status: int = 0) -> HttpResponse:
        context = {
            "title": title,
            "button": button,
            "consequences": consequences,
            "typed": typed,
            "typed_now": request.POST.get("typed", "") if problem or status else "",
            "count": count,
            "back": back,
            "danger": danger,
            "keep": keep,
            "production": production,
            "problem": problem,
        }
        return dialog(request, "dialog/_confirm.html", context, status=status or (422 if problem else 200))

    def act() -> HttpResponse:
        try:
            result = perform()
        except ValidationError as invalid:
            return ask(" ".join(invalid.messages))
        except REFUSALS as refusal:
            return marked(ask(sentence(refusal)), problem_of(refusal))
        return then(result)

    if request.method != "POST":
        return ask()
    if problem := mismatch(request, typed=typed, count=count, production=production):
        return ask(problem)
    try:
        return once(request, act, lambda outcome: repeat(request, outcome))
    except InterfaceError as error:
        return failed(request, error, lambda status: ask(status=status))


def on_production(request: HttpRequest) -> bool:
    """Return whether this request touches a project that the team marked as production."""
    return any(is_production(request) for is_production in _production_checks)


def add_production_check(is_production: Callable[[HttpRequest], bool]) -> None:
    """Register how production is recognised. Once, in `AppConfig.ready`."""
    _production_checks.append(is_production)


def mismatch(request: HttpRequest, *, typed: str | None, count: int | None, production: bool) -> str:
    """Why what was typed and ticked is not enough, as a sentence; empty where it is."""
    if production and not request.POST.get("production"):
        return UNTICKED
    if count is not None:
        shown = request.POST.get("count", "")
        if shown != str(count):
            return f"The number changed: it was {shown or 'not shown'}, now it is {count:,}. Nothing was done. Please look again."
    if typed is not None:
        given = request.POST.get("typed", "")
        if not given:
            return f"Type {typed} to go on. Nothing was done."
        if given != typed:
            return f"That is not {typed}: every character counts, also upper and lower case. Nothing was done."
    return ""
