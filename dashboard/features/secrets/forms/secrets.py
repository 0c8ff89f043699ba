"""What a person may type about a secret."""

import re
from collections.abc import Collection, Mapping
from secrets import token_hex
from typing import Any

from django import forms
from django.utils.html import format_html

from dashboard.features.secrets.rules.names import name_problem, unquoted, value_ends, value_problem
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, SecretField

KEEP = "keep"
TIDY = "tidy"
ADVICE = '{} <span class="advice" id="name-advice" role="status"></span>'
DRAFT = re.compile(r"[0-9a-f]{16}")


def advised(address: str) -> dict[str, str]:
    """Attributes of a field whose hint ends with advice on what is being typed."""
    return {"hx-get": address, "hx-trigger": "input changed delay:400ms", "hx-target": "#name-advice", "hx-swap": "outerHTML"}


class SecretForm(Form):
    """A name and a value. Two questions join them only when they must be answered: about a taken name, and about odd ends.

    The value is never sent back to the browser. htmx keeps the element it was typed into, found by an id that belongs to
    this one draft, so that a question can be answered without typing the value again.
    """

    draft = forms.CharField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Letters, digits and underscores, such as API_KEY. At most 256 characters, not starting with SUPABASE_.",
        error_messages={"required": "Give the secret a name."},
    )
    value = SecretField(
        lines=5,
        strip=False,
        help_text="At most 24,576 characters, also on several lines. It can't be read back later: keep your own copy.",
        error_messages={"required": "Type or paste the value."},
    )

    def __init__(self, data: Mapping[str, Any] | None, *, taken: Collection[str], advice_url: str) -> None:
        """`taken` holds the names that the project has already; `advice_url` says what to think of a name being typed."""
        sent = str((data or {}).get("draft", ""))
        draft = sent if DRAFT.fullmatch(sent) else token_hex(8)
        super().__init__(data, initial={"draft": draft})
        self.taken = taken
        self.fields["name"].widget.attrs |= advised(advice_url)
        self.fields["name"].help_text = format_html(ADVICE, self.fields["name"].help_text)
        self.fields["value"].widget.attrs |= {"id": f"id_value_{draft}", "hx-preserve": "true"}

    @property
    def replaces(self) -> bool:
        return bool(self.cleaned_data["name"] in self.taken)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := name_problem(name):
            raise forms.ValidationError(problem)
        return name

    def clean_value(self) -> str:
        """The value with the line ends of a file: browsers send a text area with carriage returns."""
        value = str(self.cleaned_data["value"]).replace("\r\n", "\n")
        if problem := value_problem(value):
            raise forms.ValidationError(problem)
        return value

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name, value = cleaned.get("name"), cleaned.get("value")
        if name in self.taken and not self._answer("replace"):
            self._ask_to_replace(str(name))
        if value and (noticed := value_ends(value)):
            cleaned["value"] = self._settled(value, noticed)
        return cleaned

    def _answer(self, name: str) -> str:
        return str(self.data.get(name, ""))

    def _ask_to_replace(self, name: str) -> None:
        self.fields["replace"] = forms.BooleanField(label=f"Replace the value of {name}")
        self.add_error("replace", f"{name} exists. Saving replaces its value, and the old one can't be brought back.")
        self.order_fields(["draft", "name", "replace", "value"])

    def _settled(self, value: str, noticed: str) -> str:
        answer = self._answer("ends")
        if answer == KEEP:
            return value
        if answer == TIDY and unquoted(value):
            return unquoted(value)
        choices = [(TIDY, "Save without them"), (KEEP, "Save exactly as typed")]
        self.fields["ends"] = forms.ChoiceField(label="Ends of the value", choices=choices, widget=forms.RadioSelect)
        self.add_error("ends", noticed if unquoted(value) else f"{noticed} Nothing else is in it.")
        return value
