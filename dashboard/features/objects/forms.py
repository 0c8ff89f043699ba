"""The address of a folder's list, and the forms of the object browser."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from dashboard.catalog.keys import folder
from dashboard.catalog.labels import CACHING, TYPES, type_problem
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.browse import COLUMNS
from dashboard.interfaces.names import key_problem, suggest_key
from dashboard.links.forms import OpensForm
from dashboard.links.signed import CustomHost
from dashboard.snapshots.replacements import WITHOUT
from dashboard.web.http.requests import read_number
from dashboard.web.input.expiry import EndForm
from dashboard.web.input.forms import Form, OfferedInput
from dashboard.web.pages.sort_order import read_sort
from dashboard.web.text import counted, relative, search_text

MOST_OFFSET = 10_000_000
FORM_BYTES = 32_000_000


def read_query(data: Mapping[str, str]) -> Query:
    """Read a list from an address. Invalid values are ignored."""
    return Query(
        path=folder(data.get("path", "")),
        search=search_text(data.get("search", "")).lstrip("/"),
        sort=read_sort(data, COLUMNS),
        offset=read_number(data.get("offset", ""), most=MOST_OFFSET) or 0,
        open=data.get("open", ""),
        view="grid" if data.get("view", "") == "grid" else "list",
    )


class LinkForm(OpensForm):
    """Signed links, with the host in their address. `host` is an active custom hostname to offer."""

    address = forms.ChoiceField(label="Address", widget=forms.RadioSelect, initial="custom")
    field_order = ("life", "end", "zone", "opens", "name", "address")

    def __init__(self, *args: Any, own_host: str, host: CustomHost | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if host:
            field = cast("forms.ChoiceField", self.fields["address"])
            field.choices = [("custom", host.name), ("own", own_host)]
            field.help_text = f"The custom hostname was active {relative(host.read_at)}."
        else:
            del self.fields["address"]

    @property
    def has_custom_host(self) -> bool:
        return self.cleaned_data.get("address") == "custom"


class LinkListForm(EndForm):
    """A list of signed links as a file."""

    kind = forms.ChoiceField(
        label="Format",
        choices=[
            ("script", "Shell script with curl that can resume"),
            ("csv", "CSV"),
        ],
        widget=forms.RadioSelect,
        initial="script",
    )
    field_order = ("kind",)


class PathForm(Form):
    """A path, or a pasted address of an object."""

    path = forms.CharField(required=False, strip=False, max_length=4000)


class FolderForm(Form):
    """A new folder in the open one."""

    path = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    name = forms.CharField(
        label="Folder name",
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True, "spellcheck": "false"}),
        help_text="Letters, digits, spaces and _ - . ! * ' ( ) & $ @ = ; : + , ?. A slash starts a subfolder.",
    )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"]).strip("/")
        problem = key_problem(name) if name else "Enter a name."
        if problem:
            suggestion = suggest_key(name) if name else ""
            raise ValidationError(problem + (f" For example: {suggestion}" if suggestion and suggestion != name else ""))
        return name

    @property
    def made(self) -> str:
        """The full path of the new folder, ending in a slash."""
        return f"{folder(self.cleaned_data.get('path', ''))}{self.cleaned_data['name']}/"


def replacing(days: int) -> list[tuple[str, str]]:
    """Return the ways to replace an object by an upload, which is kept for so many days."""
    if not days:
        return [("replace", "Replace the object")]
    return [("replace", f"Replace the object, and keep it for {counted(days, 'day')}"), WITHOUT]


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files of one form."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        given = data if isinstance(data, list) and data else [data or None]
        return [super(FilesField, self).clean(one, initial) for one in given]


class UploadForm(Form):
    """Upload small files without scripts."""

    path = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    chosen = FilesField(label="Files", allow_empty_file=True, help_text=f"At most {FORM_BYTES // 10**6} MB in total.")
    policy = forms.ChoiceField(
        label="If a name is taken",
        widget=forms.RadioSelect,
        initial="new",
    )
    content_type = forms.CharField(
        label="Content type", required=False, help_text="Leave empty to tell it by the name.", widget=OfferedInput(TYPES)
    )
    caching = forms.ChoiceField(label="Caching", choices=CACHING, initial=CACHING[0][0], required=False)

    def __init__(self, *args: Any, days: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast("forms.ChoiceField", self.fields["policy"])
        field.choices = [("new", "Skip the file"), *replacing(days), ("both", "Keep both, with a number added")]

    def clean_content_type(self) -> str:
        kind = str(self.cleaned_data["content_type"])
        if kind and (refused := type_problem(kind)):
            raise ValidationError(refused)
        return kind
