"""What a member asks of outsiders, and what an outsider says of themselves."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.features.file_requests.rules import read_types
from dashboard.features.file_requests.services.requests import Terms
from dashboard.links.forms import TermsForm
from dashboard.web.forms import Form

MIB = 1024 * 1024
MOST_FILES = 200


class RequestForm(TermsForm):
    """A new file request. Sizes are typed in MiB."""

    title = forms.CharField(
        label="What you ask for",
        max_length=100,
        help_text="The sender sees it as the title.",
        widget=forms.TextInput({"autofocus": True}),
    )
    types = forms.CharField(
        label="File types", required=False, max_length=300, help_text="For example .pdf, .docx or image/*. Leave empty for any."
    )
    most_mib = forms.IntegerField(label="Largest file, in MiB", min_value=1, max_value=1024 * 1024, initial=100)
    most_files = forms.IntegerField(label="Number of files", min_value=1, max_value=MOST_FILES, initial=20)
    total_mib = forms.IntegerField(label="All files together, in MiB", min_value=1, max_value=16 * 1024 * 1024, initial=1024)
    field_order: Sequence[str] = (
        *("title", "note", "types", "most_files", "most_mib", "total_mib", "password", "life", "end", "zone"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["note"].label = "Note to the sender"

    def clean_types(self) -> str:
        try:
            return " ".join(read_types(str(self.cleaned_data["types"])))
        except ValueError as wrong:
            raise ValidationError(str(wrong)) from None

    @property
    def terms(self) -> Terms:
        """Only of a valid form."""
        data = self.cleaned_data
        return Terms(
            title=data["title"],
            note=data["note"].strip(),
            types=data["types"],
            most_bytes=data["most_mib"] * MIB,
            most_files=data["most_files"],
            most_total=data["total_mib"] * MIB,
            password=data["password"],
            ends_at=data["ends_at"],
            zone=data["zone"],
        )


class SenderForm(Form):
    """Who sends the files."""

    name = forms.CharField(
        label="Your name",
        max_length=80,
        error_messages={"required": "Enter your name, so that the files can be told apart."},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
