"""Functions that views answer with: `page`, `dialog`, `submit`, `done` and `lead`. See also `confirm`."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django_htmx.http import HttpResponseClientRedirect

from dashboard.interfaces.errors import Effect, InterfaceError, TokenRefused
from dashboard.web.failures.cards import Stopped, Unconfirmed, marked
from dashboard.web.failures.problems import PROBLEMS, problem_of, refusal_of
from dashboard.web.input.forms import status_of
from dashboard.web.input.idempotency import Answer, once, remember
from dashboard.web.input.kept_text import accept
from dashboard.web.input.typed_secrets import forget, keep
from dashboard.web.pages import notices
from dashboard.web.pages.htmx import htmx_of, wants_part
from dashboard.web.pages.navigation import section_step
from dashboard.web.pages.places import place_of, with_way_back

T = TypeVar("T")

Context = Mapping[str, object]

# Shown on the form, which can be sent again because nothing was done. A refused token gets a page of its own.
REFUSALS: tuple[type[InterfaceError], ...] = tuple(
    kind for kind in PROBLEMS if kind.effect is not Effect.UNKNOWN and kind is not TokenRefused
)

DIALOG = "dialog"


def page(
    request: HttpRequest,
    template: str,
    context: Context | None = None,
    *,
    parts: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page, or the partial that htmx targets: `parts` maps element ids to partials."""
    target = htmx_of(request).target or ""
    if parts and wants_part(request) and target in parts:
        template = parts[target]
    return render(request, template, {**(context or {})}, status=status)


def dialog(request: HttpRequest, template: str, context: Context | None = None, *, status: int = 200) -> HttpResponse:
    """Render a partial in the dialog for htmx, else on a page of its own.

    The context must contain `title`, the heading; `lead` (a sentence below it), `wide` (bool) and `back` (the address of the
    cancel link) are optional. The partial is the body only, usually `{% form … %}`.
    """
    inside = is_dialog(request)
    values = {**(context or {}), "dialog_template": template, "in_dialog": inside}
    if "title" not in values:
        raise KeyError(f"dialog() needs a title in the context of {template}")
    if not inside:
        values["place"] = place_of(request)
        values["section"] = section_step(str(values.get("back", "")).partition("?")[0])
    return render(request, "dialog/_frame.html" if inside else "dialog/page.html", values, status=status)


def submit(
    request: HttpRequest,
    form: BaseForm,
    template: str = "dialog/_form.html",
    *,
    perform: Callable[[], T],
    then: Callable[[T], HttpResponse],
    context: Context | None = None,
) -> HttpResponse:
    """Show a form in a dialog, refuse it, or perform it once and answer with `then`.

    The context is that of `dialog`, with the `button` of the form. A template is needed where more than the form is shown.

    A refused form is shown again with the status of `status_of`. `perform` may raise `ValidationError` (with a dict to name
    fields). A refusal of the service is shown on the form, an unknown outcome as a card above it. Typed secrets are kept then,
    so that nobody has to type them again.
    """
    values = {**(context or {}), "form": form}
    if not form.is_bound:
        return dialog(request, template, values)

    def again(status: int = 0) -> HttpResponse:
        keep(request, form)
        return dialog(request, template, values, status=status or status_of(form))

    def act() -> HttpResponse:
        try:
            result = perform()
        except ValidationError as invalid:
            _add(form, invalid)
        except REFUSALS as refusal:
            form.add_error(None, refusal_of(refusal))
            return marked(again(), problem_of(refusal))
        else:
            forget(request)
            return then(result)
        return again()

    if not form.is_valid():
        return again()
    try:
        return once(request, act, lambda outcome: repeat(request, outcome))
    except (InterfaceError, Stopped) as error:
        return failed(request, error, again)


def failed(request: HttpRequest, error: InterfaceError | Stopped, draw: Callable[[int], HttpResponse]) -> HttpResponse:
    """Show the error card above the submitted form; with htmx, raise the error again.

    An open dialog keeps its form. After an unknown outcome the form keeps its used one-time key, so it can't be sent again.
    """
    if wants_part(request):
        raise error
    problem = with_way_back(request, error.problem if isinstance(error, Stopped | Unconfirmed) else problem_of(error))
    request.__dict__["problem"] = problem
    return marked(draw(problem.page_status(reading=False)), problem)


def done(
    request: HttpRequest,
    message: str,
    *,
    changed: str | Sequence[str] = (),
    to: str,
    link: tuple[str, str] | None = None,
    undo: str = "",
    tone: str = "good",
) -> HttpResponse:
    """Report success: close the dialog, fire `<thing>:changed` for each of `changed`, show a notice.

    Without htmx, or with nothing in `changed`, redirect to `to` instead. `link` is the label and address of a next step, `undo`
    an address that reverts the change by a POST, `tone` the notice's ("info" if something is still pending). A link to the page
    that shows the notice is left out.
    """
    things = [changed] if isinstance(changed, str) else list(changed)
    here = htmx_of(request).current_url_abs_path if htmx_of(request) and things else to
    link = link if link and link[1] != here else None
    notice = notices.Notice(message, tone=tone, link=link, undo=undo)
    if htmx_of(request) and things:
        response = HttpResponse(notices.fragment(request, notice))
        response["HX-Trigger"] = json.dumps({"dialog:close": True, **{f"{thing}:changed": True for thing in things}})
        response["HX-Reswap"] = "none"
    else:
        notices.say(request, notice)
        response = HttpResponseClientRedirect(to) if htmx_of(request) else see_other(to)
    remember(response, Answer(message=message, tone=tone, changed=things, to=to, link=list(link or ())))
    return accept(request, response)


def lead(request: HttpRequest, to: str) -> HttpResponse:
    """Redirect from an accepted form to the next page, such as its review."""
    return accept(request, HttpResponseClientRedirect(to) if htmx_of(request) else see_other(to))


def see_other(to: str) -> HttpResponse:
    """Redirect after a POST, so that the browser reads the next page by GET."""
    response = redirect(to)
    response.status_code = 303
    return response


def repeat(request: HttpRequest, outcome: Answer | None) -> HttpResponse:
    """Answer a form that was posted twice, with the outcome of the first post."""
    if outcome is None:
        return done(request, "This was done already.", to=request.get_full_path())
    link = (outcome["link"][0], outcome["link"][1]) if outcome["link"] else None
    tone = outcome.get("tone", "good")
    return done(request, outcome["message"], changed=outcome["changed"], to=outcome["to"], link=link, tone=tone)


def is_dialog(request: HttpRequest) -> bool:
    """Whether the answer fills the dialog."""
    return wants_part(request) and htmx_of(request).target == DIALOG


def _add(form: BaseForm, invalid: ValidationError) -> None:
    if hasattr(invalid, "error_dict"):
        known = {name: found for name, found in invalid.error_dict.items() if name in form.fields}
        rest = [error for name, found in invalid.error_dict.items() if name not in form.fields for error in found]
        form.add_error(None, ValidationError({**known, **({NON_FIELD_ERRORS: rest} if rest else {})}))
    else:
        form.add_error(None, invalid)
