"""What a person may type about a label and about an organization."""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms

from dashboard.labels.models import LONGEST_NAME, LONGEST_NOTE, Colour
from dashboard.labels.queries import ProjectLabel
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, Switch

LONGEST = 256


class Swatches(forms.RadioSelect):
    """Colours to choose from: each is its own button, with its name beside it."""

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **options)
        option["attrs"] |= {"class": "swatch", **({"data-colour": str(value)} if value else {})}
        return option


class LabelForm(Form):
    """What the team calls a project. Everything may be left empty: then there is no label."""

    name = forms.CharField(
        required=False,
        label="Label",
        max_length=LONGEST_NAME,
        widget=forms.TextInput(NOT_FOR_MANAGERS | {"class": "input"}),
        help_text=f"One or two words, at most {LONGEST_NAME} characters, such as “Staging” or “Customer A”.",
    )
    colour = forms.ChoiceField(required=False, choices=[("", "No colour"), *Colour.choices], widget=Swatches)
    production = forms.BooleanField(
        required=False,
        widget=Switch,
        label="This is production",
        help_text="Written out at the top of every page of the project. What destroys something here asks one question more.",
    )
    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea({"rows": 4}),
        help_text=f"Shown on the project's overview, at most {LONGEST_NOTE} characters: what it is for, whom to ask.",
    )

    def __init__(self, data: Mapping[str, Any] | None, *, current: ProjectLabel, is_owner: bool) -> None:
        initial = {"name": current.name, "colour": current.colour, "production": current.production, "note": current.note}
        super().__init__(data, initial=initial)
        self.fields["colour"].widget.attrs["class"] = "swatches"
        if not is_owner:
            self.fields["production"].disabled = True
            self.fields["production"].help_text = "Only an owner of the team can change this."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("colour") and not cleaned.get("name") and "name" not in self.errors:
            self.add_error("name", "Name what the colour stands for: not everybody can tell colours apart.")
        return cleaned

    def chosen(self) -> ProjectLabel:
        cleaned = self.cleaned_data
        note = str(cleaned["note"]).replace("\r\n", "\n")
        return ProjectLabel(name=cleaned["name"], colour=cleaned["colour"], production=cleaned["production"], note=note)


class OrganizationForm(Form):
    """A name. A question joins it only when the person belongs to one of that name already."""

    name = forms.CharField(
        max_length=LONGEST,
        widget=forms.TextInput(NOT_FOR_MANAGERS | {"class": "input"}),
        help_text="It can't be renamed or deleted here: the service's interface has no operation for that.",
        error_messages={"required": "Give the organization a name."},
    )

    def __init__(self, data: Mapping[str, Any] | None, *, taken: Collection[str]) -> None:
        """`taken` holds the names of the person's organizations."""
        super().__init__(data)
        self.taken = {name.casefold() for name in taken}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name = cleaned.get("name", "")
        if name.casefold() in self.taken and not self.data.get("another"):
            self.fields["another"] = forms.BooleanField(label=f"Create another one called “{name}”")
            self.add_error(
                "another", f"You belong to an organization called “{name}” already. The service would not mind a second."
            )
        return cleaned
