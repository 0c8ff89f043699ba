"""What a person may type about bans and restrictions."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from dashboard.features.network.models import LABEL_LIMIT
from dashboard.features.network.rules.addresses import MOST_PASTED, pasted, read_address
from dashboard.features.network.rules.ranges import MOST_LINES, Draft, read
from dashboard.web.forms import NOT_FOR_MANAGERS, Form

LONGEST = 100_000
PROBLEMS_SHOWN = 20


class LiftForm(Form):
    """Addresses whose bans are to be lifted: one, the selected ones, or a pasted list."""

    addresses = forms.CharField(
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea({**NOT_FOR_MANAGERS, "rows": 5}),
        help_text="IPv4 and IPv6, separated by lines, spaces, commas or whatever stands between them.",
        error_messages={
            "required": "Type or paste at least one address.",
            "max_length": f"At most {MOST_PASTED:,} addresses go at once.",
        },
    )

    def clean_addresses(self) -> tuple[str, ...]:
        found = pasted(str(self.cleaned_data["addresses"]))
        if found.problems:
            raise forms.ValidationError(_few(found.problems))
        if not found.addresses:
            raise forms.ValidationError("There is no address in it.")
        return found.addresses


class LabelForm(Form):
    label = forms.CharField(
        required=False,
        max_length=LABEL_LIMIT,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="What your team calls it: office, CI runner. The whole team sees it, in every project. Empty takes it away.",
    )


class AddressForm(Form):
    """One address to ask about."""

    address = forms.CharField(
        max_length=100,
        widget=forms.TextInput({**NOT_FOR_MANAGERS, "placeholder": "203.0.113.9"}),
        error_messages={"required": "Type an address."},
    )

    def clean_address(self) -> str:
        found = read_address(str(self.cleaned_data["address"]))
        if found is None:
            raise forms.ValidationError("This is no address. IPv4 looks like 203.0.113.9, IPv6 like 2001:db8::7.")
        return str(found)


class ListForm(Form):
    """A list of ranges as text. `seen` and `fingerprint` say which list of the service it was written from."""

    text = forms.CharField(
        label="Ranges",
        required=False,
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea({**NOT_FOR_MANAGERS, "rows": 12}),
        error_messages={"max_length": "The list is too long to be read."},
    )
    seen = forms.CharField(required=False, max_length=LONGEST, widget=forms.HiddenInput)
    fingerprint = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, has_v6: bool, lint_url: str, initial: dict[str, str] | None = None
    ) -> None:
        super().__init__(data, initial=initial or {})
        self.has_v6 = has_v6
        self.draft: Draft | None = None
        hint = "One range a line, such as 203.0.113.0/24; a single address is a range of one. A comment begins with #."
        self.fields["text"].widget.attrs |= {
            "hx-post": lint_url,
            "hx-trigger": "input changed delay:400ms",
            "hx-target": "#lint",
            "hx-swap": "outerHTML",
            "hx-sync": "this:replace",
            "aria-controls": "lint",
        }
        self.fields["text"].help_text = hint if has_v6 else f"{hint} The service shows no list for IPv6."

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"])
        self.draft = read(text, has_v6=self.has_v6)
        if self.draft.too_long:
            raise forms.ValidationError(f"The list has more than {MOST_LINES:,} lines.")
        if self.draft.problems:
            raise forms.ValidationError(_few(f"Line {entry.line}: {finding.text}" for entry, finding in self.draft.problems))
        return text


def _few(sentences: Iterable[str]) -> list[str]:
    """The first of them; the others are counted."""
    found = list(sentences)
    more = len(found) - PROBLEMS_SHOWN
    return found[:PROBLEMS_SHOWN] + ([f"And {more:,} more."] if more > 0 else [])
