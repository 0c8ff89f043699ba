"""Keep secrets typed into a form that is shown again. An upper layer stores them; they are never sent back to the browser.

`posted` fills in what was kept, `submit` keeps it, and `done` and `lead` erase it. A view that draws its form without `submit`
calls `keep` first.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol, TypeVar

from django.forms import BaseForm
from django.http import HttpRequest, QueryDict

F = TypeVar("F", bound=BaseForm)

# Hidden field with the id of the kept secrets.
FIELD = "sealed"
HINT = "The value you typed is kept. Leave this empty to use it."
# Error code for values that couldn't be checked. Any other error refuses the value, which is then not kept.
UNCHECKED = "unchecked"


class Keeper(Protocol):
    """Stores the secrets of one form per person and address: by field, for at most a day."""

    def keep(self, request: HttpRequest, values: Mapping[str, str]) -> str:
        """Store these in place of earlier ones, and return their id."""

    def find(self, request: HttpRequest, kept: str) -> Mapping[str, str]:
        """Return the secrets stored under the id; empty for other people and forms."""

    def forget(self, request: HttpRequest) -> None:
        """Erase the secrets stored for this form."""


_keepers: list[Keeper] = []


def keep_with(keeper: Keeper) -> None:
    """Register the keeper. Once, in a `feature`."""
    _keepers.append(keeper)


def completed(request: HttpRequest) -> QueryDict:
    """Return the posted fields, filling in kept secrets where nothing was typed this time."""
    kept = request.POST.get(FIELD, "")
    if not kept or not request.user.is_authenticated:
        return request.POST
    data = request.POST.copy()
    for keeper in _keepers:
        for name, value in keeper.find(request, kept).items():
            data[name] = data.get(name) or value
    return data


def keep(request: HttpRequest, form: F) -> F:
    """Keep the secrets of a form that is about to be shown again, and make its fields say so."""
    values = dict(_worth_keeping(form))
    if not values or not request.user.is_authenticated:
        forget(request)
        return form
    for keeper in _keepers:
        form.__dict__["sealed"] = keeper.keep(request, {form.add_prefix(name): value for name, value in values.items()})
    for name in values:
        form[name].help_text = HINT
        widget = form.fields[name].widget
        widget.is_required = False
        # If htmx preserved the element, it would still hold the value.
        widget.attrs.pop("hx-preserve", None)
    return form


def sealed_of(form: BaseForm) -> dict[str, str] | None:
    """Return name and id of this form's kept secrets, for its hidden field."""
    sealed = form.__dict__.get("sealed")
    return {"name": FIELD, "id": sealed} if sealed else None


def forget(request: HttpRequest) -> None:
    """Erase the kept secrets, as the form was accepted."""
    if request.POST.get(FIELD):
        for keeper in _keepers:
            keeper.forget(request)


def _worth_keeping(form: BaseForm) -> Iterator[tuple[str, str]]:
    """Yield the typed secrets that have no error of their own."""
    for name, field in form.fields.items():
        typed = str(form.data.get(form.add_prefix(name)) or "") if "data-secret" in field.widget.attrs else ""
        errors = form.errors.as_data().get(name, [])
        if typed and all(error.code == UNCHECKED for error in errors):
            yield name, typed
