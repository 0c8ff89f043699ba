"""The filters of the ledger."""

from collections.abc import Mapping
from typing import cast

from django import forms

from dashboard.links import ledger
from dashboard.links.ledger import Wanted
from dashboard.links.models import EXPIRY, Share
from dashboard.links.states import choices_of
from dashboard.team.models import Person
from dashboard.web.input.forms import FilterForm

VIEWS = (ledger.SOON, ledger.UNOPENED, ledger.POINTLESS, ledger.PAGES)


class LedgerForm(FilterForm):
    """The filter of links, or of signed links (`raw_links`)."""

    q = forms.CharField(required=False)
    view = forms.ChoiceField(required=False, choices=[(view, view) for view in VIEWS], widget=forms.HiddenInput)
    state = forms.ChoiceField(label="State", required=False)
    place = forms.ChoiceField(label="Bucket", required=False)
    person = forms.ChoiceField(label="Person", required=False)

    def __init__(self, data: Mapping[str, str], person: Person, *, raw_links: bool = False) -> None:
        super().__init__(data)
        self._offer("state", "Any state", choices_of([EXPIRY] if raw_links else Share.rules()))
        self._offer("place", "Any bucket", ledger.places(person, raw_links=raw_links))
        if person.is_owner:
            self._offer("person", "Anyone", ledger.people(person, raw_links=raw_links))
        else:
            del self.fields["person"]
        if raw_links:
            del self.fields["view"]

    @property
    def wanted(self) -> Wanted:
        return Wanted(**self.cleaned_data)

    def _offer(self, name: str, nothing: str, choices: list[tuple[str, str]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = [("", nothing), *choices]
