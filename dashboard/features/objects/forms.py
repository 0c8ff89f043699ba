"""What a person may type about objects."""

import json
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from dashboard.catalog.keys import folder
from dashboard.features.objects.services.browse import COLUMNS, Query
from dashboard.interfaces.names import key_problem, suggest_key
from dashboard.web.expiry import EndForm
from dashboard.web.forms import Form
from dashboard.web.requests import read_json

MOST_KEYS = 1000
FURTHEST = 10_000_000
FORM_BYTES = 32 * 1024 * 1024


def read_query(data: Mapping[str, str]) -> Query:
    """The list that an address asks for; what makes no sense counts as not said."""
    sort = data.get("sort", "")
    offset = data.get("offset", "")
    sort = sort if sort in COLUMNS else "name"
    order = data.get("order", "")
    return Query(
        path=folder(data.get("path", "")),
        search=data.get("search", "").lstrip("/"),
        sort=sort,
        order="desc" if order == "desc" else "asc",
        offset=min(int(offset), FURTHEST) if offset.isdecimal() and len(offset) < 10 else 0,
        open=data.get("open", ""),
    )


def read_keys(text: str) -> list[str]:
    """The keys of a selection from its JSON, none twice. Raises `ValidationError`."""
    try:
        keys = read_json(text, list[str])
    except ValueError:
        keys = [""]
    if not all(keys):
        raise ValidationError("The selection could not be read. Choose the objects again.")
    return list(dict.fromkeys(keys))


def chosen_keys(text: str) -> list[str]:
    """The same for a heading: nothing where it can't be read, which the form itself then says."""
    try:
        return read_keys(text)
    except ValidationError:
        return []


class KeysField(forms.CharField):
    """A selection of keys, carried along as JSON: at most 1,000, none twice."""

    widget = forms.HiddenInput

    def prepare_value(self, value: object) -> object:
        return value if isinstance(value, str) else json.dumps(value)

    def to_python(self, value: object) -> list[str]:  # type: ignore[override] # a list is what this field is for
        return read_keys(str(value or "[]"))

    def validate(self, value: object) -> None:
        keys = cast("list[str]", value)
        if not keys:
            raise ValidationError("Nothing is selected. Choose at least one object.")
        if len(keys) > MOST_KEYS:
            raise ValidationError(f"{len(keys):,} objects are selected; at most {MOST_KEYS:,} can be handled at once.")

    def run_validators(self, value: object) -> None:
        """A list has no text's length or characters to check."""


class LinkForm(EndForm):
    """How long a presigned link lives: one of four spans, or an exact end in the person's own zone."""

    keys = KeysField()


class ManifestForm(EndForm):
    """A list of links as a file."""

    kind = forms.ChoiceField(
        label="As",
        choices=[
            ("script", "A script for a shell with curl, which goes on where it stopped"),
            ("csv", "CSV, for a spreadsheet"),
            ("json", "JSON, for a program"),
        ],
        widget=forms.RadioSelect,
        initial="script",
    )
    field_order = ("kind",)


class SelectionForm(Form):
    """A selection to be deleted, and the number that was typed to say so."""

    keys = KeysField()
    bytes = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    typed = forms.CharField(
        label="Number of objects",
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
        error_messages={"required": "Type the number to go on. Nothing was done."},
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        count = len(data.get("keys") or ())
        if count and "typed" in data and data["typed"].replace(",", "").strip() != str(count):
            self.add_error("typed", f"{count:,} {'object is' if count == 1 else 'objects are'} selected. Nothing was done.")
        return data


class PathForm(Form):
    """A path, or a pasted address of an object."""

    path = forms.CharField(required=False, strip=False, max_length=4000)


class FolderForm(Form):
    """A folder to be made inside the one that is open."""

    path = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    name = forms.CharField(
        label="Name of the folder",
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True, "spellcheck": "false"}),
        help_text="Letters, digits, spaces and _ - . ! * ' ( ) & $ @ = ; : + , ? are fine; a slash makes a folder in a folder.",
    )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"]).strip("/")
        problem = key_problem(name) if name else "A folder needs a name."
        if problem:
            suggestion = suggest_key(name) if name else ""
            raise ValidationError(problem + (f" For example: {suggestion}" if suggestion and suggestion != name else ""))
        return name

    @property
    def made(self) -> str:
        """The whole path of the new folder, with a slash at its end."""
        return f"{folder(self.cleaned_data.get('path', ''))}{self.cleaned_data['name']}/"


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files of one form."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        given = data if isinstance(data, list) and data else [data or None]
        return [super(FilesField, self).clean(one, initial) for one in given]


class UploadForm(Form):
    """The way without script: small files, sent as one form."""

    path = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    chosen = FilesField(label="Files", allow_empty_file=True, help_text=f"Together at most {FORM_BYTES // 1024 // 1024} MiB.")
    policy = forms.ChoiceField(
        label="If a name is taken",
        choices=[("new", "Skip the file"), ("replace", "Replace the object"), ("both", "Keep both, with a number added")],
        widget=forms.RadioSelect,
        initial="new",
    )
