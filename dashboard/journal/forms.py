"""The filter form of the journal."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from dashboard.journal.models import Outcome
from dashboard.journal.queries import Filters
from dashboard.web.forms import FilterForm
from dashboard.web.navigation import place_title
from dashboard.web.requests import LARGEST

Pairs = Sequence[tuple[str, Any]]
PERIODS = ((1, "Last 24 hours"), (7, "Last 7 days"), (30, "Last 30 days"), (90, "Last 90 days"))


class EntriesForm(FilterForm):
    """The filter of the activity."""

    q = forms.CharField(label="Text", required=False)
    person = forms.ChoiceField(label="Person", required=False)
    through = forms.ChoiceField(label="Token", required=False)
    operation = forms.ChoiceField(label="Action", required=False)
    place = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(label="Outcome", required=False, choices=[("", "Any outcome"), *Outcome.choices])
    days = forms.TypedChoiceField(
        label="Time", required=False, choices=[("", "Any time"), *PERIODS], coerce=int, empty_value=None
    )
    entry = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, str], choices: Mapping[str, Pairs], *, everybody: bool) -> None:
        super().__init__(data)
        self.fields["place"].label = place_title()
        for name, nothing in (
            ("person", "Everyone"),
            ("through", "Any token"),
            ("operation", "All actions"),
            ("place", f"Any {place_title().lower()}"),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
            field.choices = [("", nothing), *choices[name]]
        if not everybody:
            del self.fields["person"]
        if not choices["through"]:
            del self.fields["through"]

    @property
    def filters(self) -> Filters:
        return Filters(**self.cleaned_data)
