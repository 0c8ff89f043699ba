"""Forms for bans and restrictions."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from dashboard.facts.addresses import public_address, read_address
from dashboard.features.network.models import LABEL_LIMIT
from dashboard.features.network.rules.addresses import MAX_PASTED, parse_pasted
from dashboard.features.network.rules.lists import RangeList
from dashboard.features.network.rules.ranges import MAX_LINES, Draft, read
from dashboard.web.input.forms import NOT_FOR_MANAGERS, Form, FreshForm

MAX_CHARACTERS = 100_000
PROBLEMS_SHOWN = 20
NO_ADDRESS = "This isn't an address. IPv4 looks like 203.0.113.9, IPv6 like 2001:db8::7."


class LiftForm(Form):
    """Addresses to unban: one, the selected ones, or a pasted list."""

    addresses = forms.CharField(
        max_length=MAX_CHARACTERS,
        strip=False,
        widget=forms.Textarea({**NOT_FOR_MANAGERS, "rows": 5}),
        help_text="IPv4 or IPv6, separated by lines, spaces or commas.",
        error_messages={
            "required": "Type or paste at least one address.",
            "max_length": f"At most {MAX_PASTED:,} addresses at once.",
        },
    )

    def clean_addresses(self) -> tuple[str, ...]:
        found = parse_pasted(str(self.cleaned_data["addresses"]))
        if found.problems:
            raise forms.ValidationError(_first(found.problems))
        if not found.addresses:
            raise forms.ValidationError("There is no address in this text.")
        return found.addresses


class LabelForm(FreshForm):
    label = forms.CharField(
        required=False,
        max_length=LABEL_LIMIT,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="For example office or CI runner. Your whole team sees it, in every project. Leave empty to remove.",
    )

    def __init__(self, data: QueryDict | None, *, current: str) -> None:
        self.current = current
        super().__init__(data, shown=current, initial={"label": current})

    def now(self) -> str:
        return "This label changed after you opened it. " + (
            f"It is now “{self.current}”." if self.current else "It was removed."
        )


class AddressForm(Form):
    """One address to test or search."""

    address = forms.CharField(
        max_length=100,
        widget=forms.TextInput({**NOT_FOR_MANAGERS, "placeholder": "203.0.113.9"}),
        error_messages={"required": "Type an address."},
    )

    def clean_address(self) -> str:
        found = read_address(str(self.cleaned_data["address"]))
        if found is None:
            raise forms.ValidationError(NO_ADDRESS)
        return str(found)


class OriginForm(Form):
    """The public address that a person states as their own."""

    address = forms.CharField(
        required=False,
        max_length=100,
        widget=forms.TextInput({**NOT_FOR_MANAGERS, "placeholder": "203.0.113.9"}),
        help_text="Used to judge bans and restrictions while Pilothouse sees a private address. Leave empty to remove.",
    )

    def clean_address(self) -> str:
        typed = str(self.cleaned_data["address"])
        if not typed:
            return ""
        if read_address(typed) is None:
            raise forms.ValidationError(NO_ADDRESS)
        found = public_address(typed)
        if found is None:
            raise forms.ValidationError("This address is private. Enter the one that the internet sees.")
        return str(found)


class ListForm(Form):
    """A list of ranges as text. `seen` is the service's list on which it is based."""

    text = forms.CharField(
        label="Ranges",
        required=False,
        max_length=MAX_CHARACTERS,
        strip=False,
        widget=forms.Textarea({**NOT_FOR_MANAGERS, "rows": 12}),
        error_messages={"max_length": "The list is too long."},
    )
    seen = forms.CharField(required=False, max_length=MAX_CHARACTERS, widget=forms.HiddenInput({"data-keep": ""}))

    def __init__(self, data: Mapping[str, Any] | None = None, *, seen: RangeList, lint_url: str, text: str = "") -> None:
        """`seen` is the service's list now; a posted text may be based on an earlier one."""
        super().__init__(data, initial={"text": text, "seen": seen.line})
        self.has_v6 = seen.has_v6
        self.draft: Draft | None = None
        hint = "One address or range per line, such as 203.0.113.0/24. Comments start with #."
        self.fields["text"].widget.attrs |= {
            "hx-post": lint_url,
            "hx-trigger": "input changed delay:400ms",
            "hx-target": "#lint",
            "hx-swap": "outerHTML",
            "hx-sync": "this:replace",
            "aria-controls": "lint",
        }
        self.fields["text"].help_text = hint if seen.has_v6 else f"{hint} The service has no IPv6 list."

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"])
        self.draft = read(text, has_v6=self.has_v6)
        if self.draft.too_long:
            raise forms.ValidationError(f"The list has more than {MAX_LINES:,} lines.")
        if self.draft.problems:
            raise forms.ValidationError(
                _first(f"Line {entry.line}, “{entry.written}”: {finding.text}" for entry, finding in self.draft.problems)
            )
        return text


def _first(sentences: Iterable[str]) -> list[str]:
    """Return the first sentences and count the others."""
    found = list(sentences)
    more = len(found) - PROBLEMS_SHOWN
    return found[:PROBLEMS_SHOWN] + ([f"And {more:,} more."] if more > 0 else [])
