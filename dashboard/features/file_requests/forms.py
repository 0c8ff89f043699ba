"""Forms for requesting and sending files."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.rules import read_types
from dashboard.features.file_requests.services.requests import Terms
from dashboard.links import policy
from dashboard.links.forms import ChangeForm, TermsForm
from dashboard.links.states import choices_of
from dashboard.tokens.models import Grant
from dashboard.web.input.forms import FilterForm, Form
from dashboard.web.text import bytes_text, counted

MB = 1_000_000
MOST_FILES = 200


class MegabytesField(forms.DecimalField):
    """Bytes, typed in MB. An unchanged size keeps every byte."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, decimal_places=6, widget=forms.NumberInput({"step": "any"}), **options)

    def prepare_value(self, value: Any) -> Any:
        return f"{(Decimal(value) / MB).normalize():f}" if isinstance(value, int) else value

    def clean(self, value: Any) -> int:
        return int(super().clean(value) * MB)


class RequestForm(TermsForm):
    """A new file request."""

    title = forms.CharField(
        label="What you ask for",
        max_length=100,
        help_text="The sender sees it as the title.",
        widget=forms.TextInput({"autofocus": True}),
    )
    types = forms.CharField(
        label="File types", required=False, max_length=300, help_text="For example .pdf, .docx or image/*. Leave empty for any."
    )
    most_mb = MegabytesField(label="Largest file, in MB", max_value=2_000_000, initial=100 * MB)
    most_files = forms.IntegerField(label="Number of files", min_value=1, max_value=MOST_FILES, initial=20)
    total_mb = MegabytesField(label="All files together, in MB", max_value=20_000_000, initial=1000 * MB)
    field_order: Sequence[str] = (
        *("title", "note", "types", "most_files", "most_mb", "total_mb", "password", "life", "end", "zone"),
    )

    def __init__(self, *args: Any, grant: Grant | None = None, **kwargs: Any) -> None:
        super().__init__(*args, latest=policy.latest_of_request(grant), **kwargs)
        self.fields["note"].label = "Note to the sender"

    def clean_types(self) -> str:
        try:
            return " ".join(read_types(str(self.cleaned_data["types"])))
        except ValueError as wrong:
            raise ValidationError(str(wrong)) from None

    @property
    def terms(self) -> Terms:
        """The terms. Valid forms only."""
        data = self.cleaned_data
        return Terms(
            title=data["title"],
            note=data["note"].strip(),
            types=data["types"],
            most_bytes=data["most_mb"],
            most_files=data["most_files"],
            most_total=data["total_mb"],
            password=data["password"],
            ends_at=data["ends_at"],
            zone=data["zone"],
        )


class EditForm(ChangeForm, RequestForm):
    """New terms for an existing request. Limits can't go below what has arrived."""

    field_order = (
        *("title", "note", "types", "most_files", "most_mb", "total_mb"),
        *("password", "no_password", "life", "end", "zone"),
    )

    def __init__(self, *args: Any, asked: FileRequest, **kwargs: Any) -> None:
        first = {
            "title": asked.title,
            "types": asked.types,
            "most_mb": asked.most_bytes,
            "most_files": asked.most_files,
            "total_mb": asked.most_total,
        }
        super().__init__(*args, link=asked, grant=asked.grant, initial=first, **kwargs)
        self._asked = asked

    def clean_most_files(self) -> int:
        most: int = self.cleaned_data["most_files"]
        if most < self._asked.files:
            raise ValidationError(f"{counted(self._asked.files, 'file')} already received.")
        return most

    def clean_total_mb(self) -> int:
        total: int = self.cleaned_data["total_mb"]
        if total < self._asked.bytes:
            raise ValidationError(f"{bytes_text(self._asked.bytes)} already received.")
        return total

    @property
    def terms(self) -> Terms:
        return replace(super().terms, ends_at=self.ends_at, password=self.new_password)


class RequestFilter(FilterForm):
    """The filter of file requests."""

    state = forms.ChoiceField(label="State", required=False, choices=[("", "Any state"), *choices_of(FileRequest.rules())])


class SenderForm(Form):
    """The name of the person who sends files."""

    name = forms.CharField(
        label="Your name",
        max_length=80,
        error_messages={"required": "Enter your name, so that the files can be told apart."},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
