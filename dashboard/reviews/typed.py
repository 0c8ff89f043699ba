"""Keep what was typed into the secret field of a form that is shown again: sealed, for a day, never sent back to the browser."""

from uuid import UUID

from django import forms
from django.http import HttpRequest, QueryDict

from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.workspace import Workspace
from dashboard.web.htmx import wants_part

# The name of the hidden field with the review's id.
FIELD = "sealed"
HINT = "The value you typed is kept. Leave this empty to use it."


class TypedSecret:
    """The secret `field` of a posted form. `data` is the post, with the kept value where nothing was typed this time.

    In a dialog htmx preserves the field, so nothing has to be kept. `place` makes the purpose of the review.
    """

    def __init__(self, request: HttpRequest, workspace: Workspace, field: str, *, place: str) -> None:
        self._workspace, self._field, self._purpose = workspace, field, f"typed secret of {place}"
        self._is_needed = request.method == "POST" and not wants_part(request)
        self.data: QueryDict | None = request.POST if request.method == "POST" else None
        if self._is_needed:
            self.data = self._completed(request.POST.copy())

    def mark(self, form: forms.Form) -> None:
        """Let the form carry the id, and say that the value is kept."""
        form.fields[FIELD] = forms.CharField(required=False, widget=forms.HiddenInput)
        if self.data is not None and self.data.get(FIELD):
            form.fields[self._field].widget.is_required = False
            form.fields[self._field].help_text = HINT

    def forget(self) -> None:
        """Erase the value: it was saved."""
        if self.data is not None and (review := self._review(self.data)):
            reviews.discard(review)

    def _completed(self, data: QueryDict) -> QueryDict:
        review = self._review(data)
        kept = (review.payload or {}).get("value", "") if review else ""
        typed = str(data.get(self._field, ""))
        if typed and review:
            reviews.discard(review)
        if typed:
            review = reviews.create(self._workspace, self._purpose, {"value": typed})
        data[self._field] = typed or kept
        data[FIELD] = str(review.pk) if review and (typed or kept) else ""
        return data

    def _review(self, data: QueryDict) -> Review | None:
        try:
            found = reviews.get(self._workspace, self._purpose, UUID(data.get(FIELD, "")))
        except ValueError:
            return None
        return found if found and found.state == State.OPEN else None
