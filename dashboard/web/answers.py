"""The verbs a view answers with: `page`, `dialog`, `submit`, `done` (and `confirm`, next door)."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django_htmx.http import HttpResponseClientRedirect

from dashboard.interfaces import errors as refusals
from dashboard.web import notices
from dashboard.web.htmx import htmx_of, wants_part
from dashboard.web.once import Outcome, once
from dashboard.web.problems import sentence

T = TypeVar("T")

Context = Mapping[str, object]

# What the service says about the thing that was sent, so what a person can mend in the form.
REFUSALS = (
    refusals.Rejected,
    refusals.Conflict,
    refusals.TooLarge,
    refusals.NotAllowed,
    refusals.NotFound,
    refusals.SlowDown,
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
    """A page, or the part of it that htmx wants to fill: `parts` maps ids of elements to partials."""
    target = htmx_of(request).target or ""
    if parts and wants_part(request) and target in parts:
        template = parts[target]
    return render(request, template, {**(context or {})}, status=status)


def dialog(request: HttpRequest, template: str, context: Context | None = None, *, status: int = 200) -> HttpResponse:
    """The partial in the dialog's frame for htmx, otherwise on a page of its own.

    The context must hold `title` (the frame draws the heading); `lead` (a sentence below it), `wide` (bool) and
    `back` (where the page's cancel leads) are optional. The partial is the body only, usually `{% form … %}`.
    """
    inside = is_dialog(request)
    values = {**(context or {}), "dialog_template": template, "in_dialog": inside}
    if "title" not in values:
        raise KeyError(f"dialog() needs a title in the context of {template}")
    return render(request, "dialog/_frame.html" if inside else "dialog/page.html", values, status=status)


def submit(
    request: HttpRequest,
    form: BaseForm,
    template: str,
    *,
    perform: Callable[[], T],
    then: Callable[[T], HttpResponse],
    context: Context | None = None,
) -> HttpResponse:
    """A form in a dialog: shown, refused (422, at the field or on top), or performed once and answered by `then`.

    `perform` may raise `ValidationError` (with a dict to name fields); refusals of the service become a message on
    the form. Everything else goes up to the error middleware.
    """
    values = {**(context or {}), "form": form}
    if not form.is_bound:
        return dialog(request, template, values)

    def act() -> HttpResponse:
        try:
            result = perform()
        except ValidationError as invalid:
            _add(form, invalid)
        except REFUSALS as refusal:
            form.add_error(None, sentence(refusal))
        else:
            return then(result)
        return dialog(request, template, values, status=422)

    if form.is_valid():
        return once(request, act, lambda outcome: repeat(request, outcome))
    return dialog(request, template, values, status=422)


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
    """It worked. For htmx: the dialog closes, `<thing>:changed` fires for each of `changed`, a notice appears.

    With nothing in `changed` no list would refresh itself, so the browser goes to `to`; so it does without htmx.
    `link` is the label and address of something to look at next, `undo` an address that takes it back by a POST,
    `tone` that of the notice ("info" where not all is well yet).
    """
    things = [changed] if isinstance(changed, str) else list(changed)
    notice = notices.Notice(message, tone=tone, link=link, undo=undo)
    if htmx_of(request) and things:
        response = HttpResponse(notices.fragment(request, notice))
        response["HX-Trigger"] = json.dumps({"dialog:close": True, **{f"{thing}:changed": True for thing in things}})
        response["HX-Reswap"] = "none"
    else:
        notices.say(request, notice)
        response = HttpResponseClientRedirect(to) if htmx_of(request) else _see_other(to)
    response.outcome = Outcome(message=message, tone=tone, changed=things, to=to, link=list(link or ()))  # type: ignore[attr-defined] # read by `once`
    return response


def repeat(request: HttpRequest, outcome: Outcome | None) -> HttpResponse:
    """The answer to the second post of a form: what the first one was told."""
    if outcome is None:
        return done(request, "This was done already.", to=request.get_full_path())
    link = (outcome["link"][0], outcome["link"][1]) if outcome["link"] else None
    tone = outcome.get("tone", "good")
    return done(request, outcome["message"], changed=outcome["changed"], to=outcome["to"], link=link, tone=tone)


def is_dialog(request: HttpRequest) -> bool:
    """Whether the answer is going to fill the dialog."""
    return wants_part(request) and htmx_of(request).target == DIALOG


def _add(form: BaseForm, invalid: ValidationError) -> None:
    if hasattr(invalid, "error_dict"):
        known = {name: found for name, found in invalid.error_dict.items() if name in form.fields}
        rest = [error for name, found in invalid.error_dict.items() if name not in form.fields for error in found]
        form.add_error(None, ValidationError({**known, **({NON_FIELD_ERRORS: rest} if rest else {})}))
    else:
        form.add_error(None, invalid)


def _see_other(to: str) -> HttpResponse:
    response = redirect(to)
    response.status_code = 303
    return response
