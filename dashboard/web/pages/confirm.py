"""The confirmation of destructive acts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse

from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.web.failures.cards import Stopped, marked
from dashboard.web.failures.problems import problem_of, refusal_of
from dashboard.web.input.forms import STALE, status_of
from dashboard.web.input.idempotency import once
from dashboard.web.pages.answers import REFUSALS, dialog, failed, is_dialog, repeat

T = TypeVar("T")

# Deleting a folder, or this many objects, requires typing their number.
TYPED_FROM = 20

_production_checks: list[Callable[[HttpRequest], bool]] = []

PRODUCTION = "I know that this project is production"
UNTICKED = "This project is production: tick the box to continue. Nothing was changed."


def sought(request: HttpRequest, find: Callable[[], T]) -> T | None:
    """Return the item to delete; in a dialog, None if it no longer exists.

    The view then answers with `done`, so that the outdated list refreshes. Elsewhere a missing item raises, as in every read.
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
    items: Sequence[str] = (),
    perform: Callable[[], T],
    then: Callable[[T], HttpResponse],
    back: str,
    typed: str | None = None,
    count: int | None = None,
    danger: bool = True,
    keep: str = "Cancel",
    box: tuple[str, str] | None = None,
) -> HttpResponse:
    """Ask on GET and act on POST, in a dialog for htmx and on a page otherwise.

    `button` is verb and object ("Delete photos"), `items` names what is affected, `keep` labels the cancel link, `box` is the
    name and label of a box that may be ticked. `typed` must be typed exactly. `count` is the number of affected items, counted
    for this request: if it differs from the number shown, nothing happens and the new number is shown. Refusals (by the service,
    or a `ValidationError`) are shown with the status of `status_of`. In a production project a box must be ticked too
    (`add_production_check`).
    """
    production = danger and on_production(request)

    def ask(problem: ValidationError | None = None, *, status: int = 0) -> HttpResponse:
        context = {
            "title": title,
            "button": button,
            "consequences": consequences,
            "items": items,
            "typed": typed,
            "typed_now": request.POST.get("typed", "") if problem or status else "",
            "count": count,
            "back": back,
            "danger": danger,
            "keep": keep,
            "production": production,
            "box": box,
            "is_ticked": bool(box and request.POST.get(box[0])),
            "problem": problem,
            # Hides the consequences: they are stated as facts, but didn't happen.
            "was_refused": bool(problem or status),
        }
        return dialog(request, "dialog/_confirm.html", context, status=status or status_of(problem))

    def act() -> HttpResponse:
        try:
            result = perform()
        except ValidationError as invalid:
            return ask(invalid)
        except REFUSALS as refusal:
            return marked(ask(ValidationError(refusal_of(refusal))), problem_of(refusal))
        return then(result)

    if request.method != "POST":
        return ask()
    if problem := mismatch(request, typed=typed, count=count, production=production):
        return ask(problem)
    try:
        return once(request, act, lambda outcome: repeat(request, outcome))
    except (InterfaceError, Stopped) as error:
        return failed(request, error, lambda status: ask(status=status))


def on_production(request: HttpRequest) -> bool:
    """Whether this request concerns a project that the team marked as production."""
    return any(is_production(request) for is_production in _production_checks)


def add_production_check(is_production: Callable[[HttpRequest], bool]) -> None:
    """Register how to recognise production. Once, in a `feature`."""
    _production_checks.append(is_production)


def mismatch(request: HttpRequest, *, typed: str | None, count: int | None, production: bool) -> ValidationError | None:
    """Return why the confirmation is incomplete, or None."""
    if production and not request.POST.get("production"):
        return ValidationError(UNTICKED)
    if count is not None:
        shown = request.POST.get("count", "")
        if shown != str(count):
            text = f"The number changed from {shown or 'none'} to {count:,}. Nothing was changed. Check the new number."
            return ValidationError(text, code=STALE)
    if typed is not None:
        given = request.POST.get("typed", "")
        if not given:
            return ValidationError(f"Type {typed} to continue. Nothing was changed.")
        if given != typed:
            return ValidationError(f"This does not match {typed}. Case matters. Nothing was changed.")
    return None
