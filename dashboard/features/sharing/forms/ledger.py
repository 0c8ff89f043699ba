"""The filters of the ledger."""

from collections.abc import Mapping, Sequence
from typing import Self, cast

from django import forms

from dashboard.links import ledger
from dashboard.links.ledger import Wanted
from dashboard.links.models import State
from dashboard.team.models import Person
from dashboard.web.forms import Form

STATES = (
    *(State.LIVE, State.GONE, State.HIDDEN, State.LOCKED, State.OWNER_LEFT),
    *(State.USED_UP, State.EXPIRED, State.ENDED),
)
RAW_STATES = (State.LIVE, State.EXPIRED)
VIEWS = (ledger.SOON, ledger.UNOPENED, ledger.POINTLESS, ledger.PAGES)


class LedgerForm(Form):
    """A GET form, made by `read`. Values that are not offered are ignored."""

    q = forms.CharField(required=False, max_length=200)
    view = forms.ChoiceField(required=False, choices=[(view, view) for view in VIEWS], widget=forms.HiddenInput)
    state = forms.ChoiceField(label="State", required=False)
    place = forms.ChoiceField(label="Bucket", required=False)
    person = forms.ChoiceField(label="Person", required=False)

    def __init__(self, data: Mapping[str, str], person: Person, *, raw_links: bool = False) -> None:
        super().__init__(data)
        states: Sequence[State] = RAW_STATES if raw_links else STATES
        self._offer("state", "Any state", [(state.value, state.label) for state in states])
        self._offer("place", "Any bucket", ledger.places(person, raw_links=raw_links))
        if person.is_owner:
            self._offer("person", "Anyone", ledger.people(person, raw_links=raw_links))
        else:
            del self.fields["person"]
        if raw_links:
            del self.fields["view"]

    @classmethod
    def read(cls, data: Mapping[str, str], person: Person, *, raw_links: bool = False) -> Self:
        form = cls(data, person, raw_links=raw_links)
        if form.is_valid():
            return form
        kept = cls(form.cleaned_data, person, raw_links=raw_links)
        kept.is_valid()
        return kept

    @property
    def wanted(self) -> Wanted:
        return Wanted(**self.cleaned_data)

    @property
    def kept(self) -> dict[str, str]:
        return {name: value for name, value in self.cleaned_data.items() if value}

    def _offer(self, name: str, nothing: str, choices: list[tuple[str, str]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = [("", nothing), *choices]
