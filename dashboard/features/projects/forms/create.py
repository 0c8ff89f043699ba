"""What a person may type about a project that is to be created, and must tick before it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from dashboard.features.projects.rules.regions import OTHER, groups, region_name
from dashboard.interfaces.management.organizations import Organization
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, SecretField

LONGEST = 256
REGION_CODE = r"\A[a-z0-9]+(-[a-z0-9]+)*\Z"
PLANS = {"free": "Free", "pro": "Pro"}
GENERATED, OWN = "generated", "own"


class ProjectForm(Form):
    """What the service wants to know, but for the password."""

    name = forms.CharField(
        max_length=LONGEST,
        widget=forms.TextInput(NOT_FOR_MANAGERS | {"class": "input"}),
        help_text="What people read. It can't be changed here later; a label of your own can.",
        error_messages={"required": "Give the project a name."},
    )
    organization = forms.ChoiceField(
        help_text="It owns the project and pays for it.",
        error_messages={
            "required": "Choose the organization.",
            "invalid_choice": "Your token does not reach this organization (any more). Choose another.",
        },
    )
    region = forms.ChoiceField(
        help_text="Where the data will be. It can't be moved later.",
        error_messages={"required": "Choose the region.", "invalid_choice": "This is no region code. Choose a region."},
    )
    region_code = forms.RegexField(
        REGION_CODE,
        label="Region code",
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Such as eu-south-1. The service refuses codes it doesn't know.",
        error_messages={
            "required": "Type the region code.",
            "invalid": "A region code has only small letters, digits and hyphens, such as eu-south-1.",
        },
    )
    plan = forms.ChoiceField(
        choices=list(PLANS.items()),
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the plan.", "invalid_choice": "There is no such plan. Choose another."},
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        organizations: Sequence[Organization],
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(_with_code(data), initial=_with_code({"plan": "free", **(initial or {})}))
        self.fields["region_code"].required = data is None or self.data.get("region") == OTHER
        names = [(organization.id, organization.name) for organization in organizations]
        self._choose("organization", [("", "Choose an organization"), *names] if len(names) > 1 else names)
        self._choose("region", [("", "Choose a region"), *groups()])

    def clean(self) -> dict[str, Any]:
        """`region` becomes the code that was typed where another region was chosen."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("region") == OTHER:
            cleaned["region"] = cleaned.get("region_code", "")
        return cleaned

    def _choose(self, name: str, choices: Sequence[Any]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices


def _with_code(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The same, with a region that the list does not have as a typed code."""
    if values is None:
        return None
    plain = {name: values[name] for name in values}
    region = plain.get("region", "")
    return plain if not region or region == OTHER or region_name(region) else plain | {"region": OTHER, "region_code": region}


class ReviewForm(Form):
    """The password, and what must be ticked before anything is sent: only what applies."""

    kind = forms.ChoiceField(
        label="Database password",
        choices=[(GENERATED, "The generated one below"), (OWN, "One of my own")],
        widget=forms.RadioSelect,
        help_text="It is sent once. No operation of the service shows it again, and Pilothouse does not keep it.",
    )
    password = SecretField(
        required=False,
        label="Your password",
        max_length=LONGEST,
        help_text="A dozen characters or more is wise: the database can be reached from the internet.",
    )
    saved = forms.BooleanField(required=False, label="I saved the generated password")

    def __init__(self, data: Mapping[str, Any] | None, *, name: str, taken: bool) -> None:
        """`taken`: the organization has a project of that `name` already, so that another one must be meant."""
        super().__init__(data, initial={"kind": GENERATED})
        if taken:
            self.fields["another"] = forms.BooleanField(
                label=f"Create another project called “{name}”",
                error_messages={"required": "There is one of this name already. Tick the box to have another."},
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kind") == OWN:
            if not cleaned.get("password") and "password" not in self.errors:
                self.add_error("password", "Type the password, or take the generated one.")
        elif not cleaned.get("saved"):
            self.add_error("saved", "Save the password first: it is never shown again.")
        return cleaned

    def chosen(self, generated: str) -> str:
        """The password to send."""
        return str(self.cleaned_data["password"]) if self.cleaned_data["kind"] == OWN else generated
