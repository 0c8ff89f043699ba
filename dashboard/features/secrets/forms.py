"""What a person types about secrets: one secret, a draft as text or rows, and the choices of a review."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.html import format_html

from dashboard.features.secrets.rules.draft import Draft, Item
from dashboard.features.secrets.rules.env import normalize_newlines, read
from dashboard.features.secrets.rules.names import name_problem, unquoted, value_advice, value_problem
from dashboard.web.input.forms import NOT_FOR_MANAGERS, Form, SecretField

KEEP = "keep"
STRIP = "strip"
ADVICE = '{} <span class="advice" id="name-advice" role="status"></span>'
DRAFT_ID = re.compile(r"[0-9a-f]{16}")
_LINE_BREAKS = re.compile(r"[\r\n]")


class ValueForm(Form):
    """A value that is never sent back to the browser. htmx preserves its element by the draft's id when the form is refused."""

    draft = forms.CharField(required=False, widget=forms.HiddenInput)
    value = SecretField(
        lines=5,
        strip=False,
        help_text="At most 24,576 characters. You can't view the value later: keep a copy.",
        error_messages={"required": "Enter a value."},
    )

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        sent = str((data or {}).get("draft", ""))
        draft = sent if DRAFT_ID.fullmatch(sent) else token_hex(8)
        super().__init__(data, initial={"draft": draft})
        self.fields["value"].widget.attrs |= {"id": f"id_value_{draft}", "hx-preserve": "true"}

    def clean_value(self) -> str:
        value = normalize_newlines(str(self.cleaned_data["value"]))
        if problem := value_problem(value):
            raise forms.ValidationError(problem)
        return value


class RowForm(ValueForm):
    """A new value for a secret, typed on its row."""

    def __init__(self, data: Mapping[str, Any] | None, *, name: str) -> None:
        super().__init__(data)
        field = self.fields["value"]
        field.help_text = ""
        field.widget.attrs |= {"rows": 2, "aria-label": f"New value of {name}", "placeholder": "New value", "data-focus": True}


class SecretForm(ValueForm):
    """A name and a value. Two questions appear when needed: about an existing name, and about spaces or quotes."""

    name = forms.CharField(
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Letters, digits and underscores, such as API_KEY. At most 256 characters.",
        error_messages={"required": "Enter a name."},
    )
    field_order = ("draft", "name", "value")

    def __init__(self, data: Mapping[str, Any] | None, *, taken: Collection[str], advice_url: str) -> None:
        """`taken`: the project's names; `advice_url`: checks a name while it is typed."""
        super().__init__(data)
        self.taken = taken
        self.fields["name"].widget.attrs |= {
            "hx-get": advice_url,
            "hx-trigger": "input changed delay:400ms",
            "hx-target": "#name-advice",
            "hx-swap": "outerHTML",
        }
        self.fields["name"].help_text = format_html(ADVICE, self.fields["name"].help_text)

    @property
    def replaces(self) -> bool:
        return bool(self.cleaned_data["name"] in self.taken)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := name_problem(name):
            raise forms.ValidationError(problem)
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name, value = cleaned.get("name"), cleaned.get("value")
        if name in self.taken:
            doubt = f"{name} exists. Its current value can't be restored."
            self.require_tick("replace", f"Replace the value of {name}", doubt, of=str(name))
            self.order_fields(["draft", "name", "replace", "value"])
        if value and (warning := value_advice(value)):
            cleaned["value"] = self._confirmed(value, warning)
        return cleaned

    def _confirmed(self, value: str, warning: str) -> str:
        choices = [(STRIP, "Save without them"), (KEEP, "Save exactly as typed")]
        self.fields["ends"] = forms.ChoiceField(label="Spaces and quotes", choices=choices, widget=forms.RadioSelect)
        answer = self.data.get("ends")
        if answer == KEEP:
            return value
        if answer == STRIP and unquoted(value):
            return unquoted(value)
        self.add_error("ends", warning if unquoted(value) else f"{warning} There is nothing else.")
        return value


def typed_text(post: QueryDict) -> Draft:
    """Parse the text field and the field for more lines."""
    first = read(post.get("text", ""))
    offset = max((item.number for item in first), default=0)
    return Draft((*first, *(replace(item, number=item.number + offset) for item in read(post.get("more", "")))))


def typed_rows(post: QueryDict, stored: Draft) -> Draft:
    """Read the rows, with stored values where nothing was typed, then the field for more lines."""
    kept = stored.items if stored.is_too_long else (*(item for item in stored.items if item.why), *_rows(post, stored))
    return replace(stored, items=(*kept, *read(post.get("more", "")))).in_rows()


def with_typed_values(post: QueryDict, stored: Draft) -> Draft:
    """Add the rows in which a value was typed, of a page that showed an earlier draft, and the field for more lines."""
    typed = zip(post.getlist("name"), post.getlist("value"), strict=False)
    added = (Item(1, name=name.strip(), value=normalize_newlines(value)) for name, value in typed if value)
    return replace(stored, items=(*stored.items, *added, *read(post.get("more", "")))).in_rows()


def _rows(post: QueryDict, stored: Draft) -> Iterator[Item]:
    """Yield the rows in order, except empty ones and the one to remove. `stored` in a row is the index of its entry."""
    entries = {str(index): item for index, item in enumerate(stored.entries)}
    fields = zip(post.getlist("name"), post.getlist("value"), post.getlist("stored"), strict=False)
    for number, (field, typed, index) in enumerate(fields, 1):
        name, value, entry = field.strip(), normalize_newlines(typed), entries.get(index)
        if str(number) == post.get("remove"):
            continue
        if entry and name == _LINE_BREAKS.sub("", entry.name).strip():
            # A single-line field sends it back like this.
            name = entry.name
        if entry and not value:
            yield replace(entry, name=name)
        elif name or value:
            yield Item(1, name=name, value=value)
