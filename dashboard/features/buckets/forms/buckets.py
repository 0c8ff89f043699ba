"""What a person may ask of the list of buckets, and type about one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from django import forms
from django.http import QueryDict
from django.utils.html import format_html

from dashboard.features.buckets.forms.sizes import SizeField
from dashboard.features.buckets.rules.limits import type_problem
from dashboard.features.buckets.rules.names import trouble
from dashboard.features.buckets.services.settings import Settings
from dashboard.interfaces.names import bucket_name_problem
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, Switch

COLUMNS = ("name", "visibility", "objects", "size", "newest", "created")


@dataclass(frozen=True, slots=True)
class Filter:
    """Search and order, as they stand in the address (`?sort=-created`). What makes no sense is left out."""

    search: str = ""
    sort: str = "name"
    descending: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> Self:
        sort = query.get("sort", "")
        known = sort.removeprefix("-") in COLUMNS
        return cls(
            search=query.get("q", "").strip(),
            sort=sort.removeprefix("-") if known else "name",
            descending=known and sort.startswith("-"),
        )


class SettingsForm(Form):
    """Who may read, how large, which types."""

    public = forms.BooleanField(
        required=False,
        label="Public bucket",
        widget=Switch,
        help_text=(
            "Anybody who knows the address of an object can read it, without a token and without a signed link. "
            "Uploading, listing and deleting still need a token."
        ),
    )
    size = SizeField(
        required=False,
        label="Size limit for one object",
        help_text="Empty means no limit of the bucket's own. The service's limit always holds.",
    )
    types = forms.CharField(
        required=False,
        label="Allowed types",
        widget=forms.Textarea({"rows": 3, **NOT_FOR_MANAGERS}),
        help_text="One to a line, such as image/png, or image/* for every image. Leave it empty to allow every type.",
    )

    def clean_types(self) -> tuple[str, ...]:
        entries = [entry.strip() for entry in str(self.cleaned_data["types"]).replace(",", "\n").splitlines()]
        wanted = tuple(dict.fromkeys(entry for entry in entries if entry))
        if problems := [problem for entry in wanted if (problem := type_problem(entry))]:
            raise forms.ValidationError(problems)
        return wanted

    def chosen(self) -> Settings:
        cleaned = self.cleaned_data
        return Settings(public=cleaned["public"], file_size_limit=cleaned["size"], allowed_mime_types=cleaned["types"])


class NamedBucketForm(Form):
    """The exact name of a bucket that the token does not list."""

    name = forms.CharField(
        max_length=1000,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Upper and lower case matter.",
        error_messages={"required": "Type the name of the bucket."},
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := bucket_name_problem(name):
            raise forms.ValidationError(problem)
        return name


class NewBucketForm(SettingsForm):
    """A name and the settings. A question joins them only for a name that is known to cause trouble."""

    name = forms.CharField(
        max_length=1000,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text=(
            "1 to 100 characters: English letters, digits, inner spaces and _ ! . * ' ( ) & $ @ = ; : + , ? -. "
            "It can't be changed later."
        ),
        error_messages={"required": "Give the bucket a name."},
    )
    field_order = ("name", "public", "size", "types")

    def __init__(self, data: Mapping[str, Any] | None, *, advice_url: str, advice: str) -> None:
        """`advice_url` says what to think of a name that is being typed; `advice` is that for the name as it is (HTML)."""
        super().__init__(data)
        name = self.fields["name"]
        name.widget.attrs |= {
            "hx-get": advice_url,
            "hx-trigger": "input changed delay:400ms",
            "hx-target": "#name-advice",
            "hx-swap": "outerHTML",
        }
        name.help_text = format_html("{} {}", name.help_text, advice)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := bucket_name_problem(name):
            raise forms.ValidationError(problem)
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        warning = trouble(cleaned.get("name", ""))
        if warning and not self.data.get("accept"):
            self.fields["accept"] = forms.BooleanField(label=f"Call it “{cleaned['name']}” all the same")
            self.add_error("accept", warning)
            self.order_fields(["name", "accept"])
        return cleaned


class EditBucketForm(SettingsForm):
    """The settings of a bucket. A question joins them only when the bucket is about to become public."""

    def __init__(self, data: Mapping[str, Any] | None, *, current: Settings, limit_url: str) -> None:
        """`limit_url` says how many objects are larger than a limit that is being typed."""
        super().__init__(
            data,
            initial={"public": current.public, "size": current.file_size_limit, "types": "\n".join(current.allowed_mime_types)},
        )
        self.current = current
        size = self.fields["size"]
        for widget in size.widget.widgets:
            widget.attrs |= {
                "hx-get": limit_url,
                "hx-trigger": "input changed delay:400ms",
                "hx-target": "#size-advice",
                "hx-swap": "outerHTML",
                "hx-include": "[name=size], [name=size_unit]",
            }
        size.help_text = format_html('{} <span class="advice" id="size-advice" role="status"></span>', size.help_text)

    @property
    def publishes(self) -> bool:
        """Whether the bucket is private and was asked to become public."""
        return not self.current.public and bool(self.cleaned_data.get("public"))

    @property
    def withdraws(self) -> bool:
        """Whether the bucket is public and was asked to become private."""
        return self.current.public and not self.cleaned_data.get("public")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.publishes and not self.data.get("publish"):
            self.fields["publish"] = forms.BooleanField(label="Make every object in it readable by anybody")
            self.add_error("publish", "This makes a private bucket public. Tick the box to go on.")
            self.order_fields(["public", "publish"])
        return cleaned
