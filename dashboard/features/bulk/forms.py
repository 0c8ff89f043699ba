"""Forms for moving, copying and renaming objects."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from dashboard.catalog.keys import folder, folder_of, name_of
from dashboard.catalog.labels import CACHING, TYPES, cache_problem, type_problem
from dashboard.catalog.selection import Selection
from dashboard.features.bulk.rules import Labels, Transfer, Verb, into, problem, renamed
from dashboard.interfaces.names import key_problem, suggest_key
from dashboard.web.input.forms import Form, OfferedInput

OTHER = "other"
QUIET = {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}


class TransferForm(Form):
    """A destination: a bucket of the same space, a folder, and optionally a new folder in it."""

    to_bucket = forms.ChoiceField(
        label="Bucket",
        error_messages={
            "required": "Choose a bucket.",
            "invalid_choice": "Bucket %(value)s no longer exists. Choose another.",
        },
    )
    to = forms.CharField(label="Folder", required=False, strip=False, widget=forms.TextInput(attrs=QUIET))
    new = forms.CharField(
        label="New folder there",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs=QUIET),
    )

    def __init__(self, *args: Any, verb: Verb, selection: Selection, buckets: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.verb, self.selection = verb, selection
        cast("forms.ChoiceField", self.fields["to_bucket"]).choices = [(name, name) for name in buckets]

    def clean_new(self) -> str:
        return _name(str(self.cleaned_data["new"]).strip("/"), needed=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors and (refused := problem(self.wanted)):
            self.add_error("to", refused)
        return data

    @property
    def wanted(self) -> Transfer:
        data = self.cleaned_data
        there = folder(data["to"]) + (f"{data['new']}/" if data["new"] else "")
        return into(self.verb, self.selection, data["to_bucket"], there)


class LabelForm(Form):
    """A new type and Cache-Control for existing objects."""

    caching = forms.ChoiceField(
        label="Caching",
        required=False,
        choices=[("", "Leave as it is"), *((header, f"{meaning} ({header})") for header, meaning in CACHING), (OTHER, "Other")],
    )
    other = forms.CharField(
        label="Cache-Control, if other",
        required=False,
        help_text="For example: public, max-age=600",
        widget=forms.TextInput(attrs=QUIET),
    )
    content_type = forms.CharField(
        label="Content type",
        required=False,
        help_text="Leave empty to keep it. For example: image/png",
        widget=OfferedInput(TYPES),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("caching") == OTHER and (refused := cache_problem(data.get("other", ""))):
            self.add_error("other", refused)
        if (kind := data.get("content_type", "")) and (refused := type_problem(kind)):
            self.add_error("content_type", refused)
        if not self.errors and self.wanted == Labels():
            raise ValidationError("Choose what to change.")
        return data

    @property
    def wanted(self) -> Labels:
        data = self.cleaned_data
        caching = data["other"] if data["caching"] == OTHER else data["caching"]
        return Labels(data["content_type"], caching)


class RenameForm(Form):
    """A new name for one object or folder."""

    name = forms.CharField(
        label="New name",
        max_length=900,
        strip=False,
        error_messages={"required": "Enter a name.", "max_length": "Use at most %(limit_value)s characters."},
    )

    def __init__(self, *args: Any, selection: Selection, **kwargs: Any) -> None:
        self.selection = selection
        self.old = selection.only
        shown = name_of(self.old.removesuffix("/") if selection.folders else self.old)
        super().__init__(*args, **{"initial": {"name": shown}, **kwargs})
        stem = shown.rpartition(".")[0] if selection.keys else ""
        self.fields["name"].widget = forms.TextInput(
            attrs={**QUIET, "class": "input input--mono", "data-focus": "", "data-select": str(len(stem or shown))}
        )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if "/" in name:
            raise ValidationError("A name can't contain a slash. To change the folder, move it.")
        return _name(name, needed=True)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors:
            wanted = self.wanted
            if wanted.to == wanted.base:
                self.add_error("name", "Enter a different name.")
            elif refused := problem(wanted):
                self.add_error("name", refused)
        return data

    @property
    def wanted(self) -> Transfer:
        return renamed(self.selection, self.cleaned_data["name"])

    @property
    def home(self) -> str:
        """The folder that it is in."""
        return folder_of(self.old.removesuffix("/") if self.selection.folders else self.old)


def _name(name: str, *, needed: bool) -> str:
    refused = key_problem(name) if name else ("Enter a name." if needed else None)
    if refused:
        suggestion = suggest_key(name) if name else ""
        raise ValidationError(refused + (f" For example: {suggestion}" if suggestion and suggestion != name else ""))
    return name
