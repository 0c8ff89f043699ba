"""The filter of the list of buckets, and the forms for a new bucket and for settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from django import forms
from django.http import QueryDict
from django.utils.html import format_html

from dashboard.features.buckets.rules import UNITS, split, trouble, type_problem
from dashboard.features.buckets.services.buckets import CRAWLED, SORTS, Settings
from dashboard.interfaces.names import bucket_name_problem
from dashboard.web.input.forms import NOT_FOR_MANAGERS, Form, FreshForm, Switch
from dashboard.web.pages.sort_order import BY_NAME, Sort, read_sort
from dashboard.web.text import bytes_text, counted, search_text

LARGEST = 2**53 - 1
CHOICES = (
    ("MB", "MB"),
    ("GB", "GB"),
    ("KB", "KB"),
    ("B", "bytes"),
)
COLUMNS = (*SORTS, *CRAWLED)


@dataclass(frozen=True, slots=True)
class Filter:
    """Search and order from the address (`?sort=-created`). Invalid values are ignored."""

    search: str = ""
    sort: Sort = BY_NAME

    @classmethod
    def read(cls, query: QueryDict) -> Self:
        return cls(search=search_text(query.get("q", "")).strip(), sort=read_sort(query, COLUMNS))


class SizeWidget(forms.MultiWidget):
    """The number and its unit, side by side."""

    def __init__(self) -> None:
        number = forms.TextInput({"inputmode": "decimal", "autocomplete": "off", "aria-label": "Number", "class": "input"})
        unit = forms.Select({"aria-label": "Unit", "class": "input"}, choices=CHOICES)
        super().__init__({"": number, "unit": unit})

    def decompress(self, value: int | None) -> list[str]:
        if value is None:
            return ["", "MB"]
        unit, number = split(value)
        return [number, unit]


class SizeField(forms.MultiValueField):
    """Bytes, or None where no number was typed."""

    def __init__(self, **options: Any) -> None:
        number = forms.DecimalField(
            required=False,
            min_value=0,
            max_value=LARGEST,
            error_messages={
                "invalid": "Enter a number, such as 50 or 1.5.",
                "min_value": "The limit can't be negative.",
                "max_value": "This limit is too large.",
            },
        )
        unit = forms.ChoiceField(required=False, choices=CHOICES)
        super().__init__(fields=(number, unit), widget=SizeWidget(), require_all_fields=False, **options)

    def compress(self, data_list: Sequence[Any]) -> int | None:
        number: Decimal | None = data_list[0] if data_list else None
        if number is None:
            return None
        size = number * UNITS[data_list[1] or "B"]
        if size > LARGEST:
            raise forms.ValidationError("This limit is too large.")
        if size != size.to_integral_value():
            raise forms.ValidationError("This is not a whole number of bytes. Choose another unit.")
        return int(size)


class SettingsForm(Form):
    """Access, size limit and types."""

    public = forms.BooleanField(
        required=False,
        label="Public bucket",
        widget=Switch,
        help_text="Anyone with an object's address can read it. Uploading, listing and deleting still need a token.",
    )
    size = SizeField(
        required=False,
        label="Size limit per object",
        help_text="Leave empty for no bucket limit. The service's own limit always applies.",
    )
    types = forms.CharField(
        required=False,
        label="Allowed types",
        widget=forms.Textarea({"rows": 3, **NOT_FOR_MANAGERS}),
        help_text="One per line, such as image/png, or image/* for all images. Leave empty to allow every type.",
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
        strip=False,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Case-sensitive.",
        error_messages={"required": "Enter the name of the bucket."},
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if problem := bucket_name_problem(name):
            raise forms.ValidationError(problem)
        return name


class NewBucketForm(SettingsForm):
    """A name and the settings, with a checkbox to accept a name known to cause trouble."""

    name = forms.CharField(
        max_length=1000,
        strip=False,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text=(
            "1 to 100 characters: English letters, digits, inner spaces and _ ! . * ' ( ) & $ @ = ; : + , ? -. "
            "Can't be changed later."
        ),
        error_messages={"required": "Enter a name."},
    )
    field_order = ("name", "public", "size", "types")

    def __init__(self, data: Mapping[str, Any] | None, *, advice_url: str, advice: str) -> None:
        """`advice_url` checks a name while it is typed; `advice` is the result for the present name (HTML)."""
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
        name = cleaned.get("name", "")
        if warning := trouble(name):
            self.require_tick("accept", f"Use the name “{name}” anyway", warning, of=name)
            self.order_fields(["name", "accept"])
        return cleaned


class EditBucketForm(FreshForm, SettingsForm):
    """The settings of a bucket, with a checkbox to confirm making it public."""

    keeps = forms.BooleanField(required=False, label="Keep deleted and replaced files", widget=Switch)

    def __init__(
        self, data: Mapping[str, Any] | None, *, current: Settings, limit_url: str, keeps: bool | None, days: int
    ) -> None:
        """`limit_url` counts the objects above a limit while it is typed. `keeps`: for so many days; None: it isn't asked."""
        self.current, self._keeps = current, keeps
        types = "\n".join(current.allowed_mime_types)
        initial = {"public": current.public, "size": current.file_size_limit, "types": types, "keeps": keeps}
        super().__init__(data, shown=(current, keeps), initial=initial)
        if keeps is None:
            del self.fields["keeps"]
        else:
            self.fields["keeps"].help_text = f"For {counted(days, 'day')}, in the trash. What is there already stays."
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
        return not self.current.public and bool(self.cleaned_data.get("public"))

    @property
    def withdraws(self) -> bool:
        return self.current.public and not self.cleaned_data.get("public")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.publishes:
            doubt = "This makes a private bucket public. Tick the box to continue."
            self.require_tick("publish", "Make every object in it public", doubt)
            self.order_fields(["public", "publish"])
        return cleaned

    def now(self) -> str:
        now = self.current
        size = "any size" if now.file_size_limit is None else f"up to {bytes_text(now.file_size_limit)} per object"
        types = ", ".join(now.allowed_mime_types) or "any type"
        access = "public" if now.public else "private"
        trash = {True: " Its trash is on.", False: " Its trash is off.", None: ""}[self._keeps]
        return f"These settings changed after you opened them. The bucket is now {access} and allows {size}, {types}.{trash}"
