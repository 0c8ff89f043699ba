"""The filter form of the journal."""

from collections.abc import Mapping, Sequence
from datetime import date, tzinfo
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from dashboard.journal.models import Outcome
from dashboard.journal.queries import Filters
from dashboard.web.http.requests import LARGEST
from dashboard.web.input.forms import FilterForm
from dashboard.web.pages.navigation import place_title

Pairs = Sequence[tuple[str, Any]]
# Far enough from the ends of the calendar for every time zone.
DAYS = (MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31)))


class Day(forms.DateField):
    """A day that browsers let people pick."""

    def __init__(self, label: str) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(label=label, required=False, validators=DAYS, widget=widget)


class EntriesForm(FilterForm):
    """The filter of the activity; `zone` is the reader's."""

    q = forms.CharField(label="Text", required=False)
    person = forms.ChoiceField(label="Person", required=False)
    through = forms.ChoiceField(label="Token", required=False)
    operation = forms.ChoiceField(label="Action", required=False)
    place = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(label="Outcome", required=False, choices=[("", "Any outcome"), *Outcome.choices])
    since = Day("From")
    until = Day("To")
    entry = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, str], choices: Mapping[str, Pairs], *, everybody: bool, zone: tzinfo) -> None:
        super().__init__(data)
        self.zone = zone
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
        return Filters(**self.cleaned_data, zone=self.zone)
