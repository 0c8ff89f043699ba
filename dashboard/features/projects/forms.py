"""New projects and organizations, labels."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django import forms
from django.http import QueryDict

from dashboard.features.projects.rules import OTHER_REGION, region_choices, region_name
from dashboard.interfaces.management.organizations import Organization
from dashboard.labels.models import NAME_MAX_LENGTH, NOTE_MAX_LENGTH, Colour
from dashboard.labels.services import MARK, ProjectLabel
from dashboard.team.rights import LEAST, needs_role
from dashboard.web.input.forms import NOT_FOR_MANAGERS, Form, FreshForm, SecretField, Switch
from dashboard.web.input.typed_secrets import HINT

NAME_MAX_CHARACTERS = 256
REGION_CODE = r"\A[a-z0-9]+(-[a-z0-9]+)*\Z"
PLANS = {"free": "Free", "pro": "Pro"}
GENERATED, OWN = "generated", "own"


class ProjectForm(Form):
    """A new project, without its password."""

    name = forms.CharField(
        max_length=NAME_MAX_CHARACTERS,
        widget=forms.TextInput(NOT_FOR_MANAGERS | {"class": "input"}),
        help_text="Can't be changed here later. Add a label instead.",
        error_messages={"required": "Enter a name."},
    )
    organization = forms.ChoiceField(
        help_text="Owns and pays for the project.",
        error_messages={
            "required": "Choose an organization.",
            "invalid_choice": "Your token can't see this organization.",
        },
    )
    region = forms.ChoiceField(
        help_text="Where the data is stored. Can't be changed later.",
        error_messages={"required": "Choose a region.", "invalid_choice": "Choose a region from the list."},
    )
    region_code = forms.RegexField(
        REGION_CODE,
        label="Region code",
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Such as eu-south-1.",
        error_messages={
            "required": "Enter a region code.",
            "invalid": "Use lower-case letters, digits and hyphens, such as eu-south-1.",
        },
    )
    plan = forms.ChoiceField(
        choices=list(PLANS.items()),
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a plan.", "invalid_choice": "Choose Free or Pro."},
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        organizations: Sequence[Organization],
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(_with_code(data), initial=_with_code({"plan": "free", **(initial or {})}))
        self.fields["region_code"].required = data is None or self.data.get("region") == OTHER_REGION
        names = [(organization.id, organization.name) for organization in organizations]
        self._choose("organization", [("", "Choose an organization"), *names] if len(names) > 1 else names)
        self._choose("region", [("", "Choose a region"), *region_choices()])

    def clean(self) -> dict[str, Any]:
        """Use the typed code as `region` if "another region" was chosen."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("region") == OTHER_REGION:
            cleaned["region"] = cleaned.get("region_code", "")
        return cleaned

    def chosen(self) -> dict[str, str]:
        """The values for creating it."""
        return {name: self.cleaned_data[name] for name in ("name", "organization", "region", "plan")}

    def _choose(self, name: str, choices: Sequence[Any]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices


def _with_code(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Move a region that is not in the list to the field for a typed code."""
    if values is None:
        return None
    plain = {name: values[name] for name in values}
    region = plain.get("region", "")
    return (
        plain
        if not region or region == OTHER_REGION or region_name(region)
        else plain | {"region": OTHER_REGION, "region_code": region}
    )


class ConfirmationForm(Form):
    """The database password, and a checkbox for each thing to confirm."""

    kind = forms.ChoiceField(
        label="Database password",
        choices=[(GENERATED, "Use the generated password"), (OWN, "Use my own")],
        widget=forms.RadioSelect,
        help_text="Neither the service nor Pilothouse shows it again.",
    )
    password = SecretField(
        required=False,
        label="Your password",
        max_length=NAME_MAX_CHARACTERS,
        help_text="Use at least 12 characters: the database is reachable from the internet.",
    )
    saved = forms.BooleanField(required=False, label="I saved the generated password")

    def __init__(self, data: Mapping[str, Any] | None, *, name: str, taken: bool, own: str) -> None:
        """`taken`: the organization already has a project with that `name`; `own`: a password typed earlier."""
        super().__init__(data, initial={"kind": OWN if own else GENERATED})
        self._own = own
        if own:
            self.fields["password"].help_text = HINT
        if taken:
            self.fields["another"] = forms.BooleanField(
                label=f"Create another project called “{name}”",
                error_messages={"required": "A project with this name exists. Tick to create another."},
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kind") == OWN:
            cleaned["password"] = cleaned.get("password") or self._own
            if not cleaned["password"] and "password" not in self.errors:
                self.add_error("password", "Enter a password or use the generated one.")
        elif not cleaned.get("saved"):
            self.add_error("saved", "Save the password first: it won't be shown again.")
        return cleaned

    def refuse_password(self, reason: str) -> None:
        """Show why the service refused the password, which is not kept then."""
        self["password"].help_text = self.base_fields["password"].help_text
        self.add_error("password", reason)

    def chosen(self, generated: str) -> str:
        """Return the password for creating it."""
        return str(self.cleaned_data["password"]) if self.cleaned_data["kind"] == OWN else generated


def typed_password(data: QueryDict) -> str:
    """Return the person's own password, if they typed one of an allowed length."""
    typed = data.get("password", "").strip() if data.get("kind") == OWN else ""
    return typed if len(typed) <= NAME_MAX_CHARACTERS else ""


class Swatches(forms.RadioSelect):
    """Colours as radio buttons, each with its name."""

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **options)
        option["attrs"] |= {"class": "swatch", **({"data-colour": str(value)} if value else {})}
        return option


class LabelForm(FreshForm):
    """The team's label for a project. If all is empty, the label is removed."""

    name = forms.CharField(
        required=False,
        label="Label",
        max_length=NAME_MAX_LENGTH,
        widget=forms.TextInput(NOT_FOR_MANAGERS | {"class": "input"}),
        help_text=f"Such as “Staging” or “Customer A”, at most {NAME_MAX_LENGTH} characters.",
    )
    colour = forms.ChoiceField(required=False, choices=[("", "No colour"), *Colour.choices], widget=Swatches)
    production = forms.BooleanField(
        required=False,
        widget=Switch,
        label="Production",
        help_text="Marked on every page of the project. Deleting asks for an extra confirmation.",
    )
    note = forms.CharField(
        required=False,
        max_length=NOTE_MAX_LENGTH,
        widget=forms.Textarea({"rows": 4}),
        help_text=f"Shown on the project's overview, at most {NOTE_MAX_LENGTH} characters.",
    )

    def __init__(self, data: Mapping[str, Any] | None, *, current: ProjectLabel, may_mark: bool) -> None:
        self.current = current
        super().__init__(data, shown=current, initial=asdict(current))
        self.fields["colour"].widget.attrs["class"] = "swatches"
        if not may_mark:
            self.fields["production"].disabled = True
            self.fields["production"].help_text = needs_role(LEAST[MARK])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("colour") and not cleaned.get("name") and "name" not in self.errors:
            self.add_error("name", "Enter a label: not everyone can tell colours apart.")
        return cleaned

    def now(self) -> str:
        label = self.current
        traits = [f"“{label.name}”" if label.name else "without a name", "production" if label.production else "not production"]
        traits += ["with a note"] if label.note else []
        return f"Somebody saved this label after you opened it. It is now {', '.join(traits)}."

    def chosen(self) -> ProjectLabel:
        cleaned = self.cleaned_data
        note = str(cleaned["note"]).replace("\r\n", "\n")
        return ProjectLabel(name=cleaned["name"], colour=cleaned["colour"], production=cleaned["production"], note=note)


class OrganizationForm(Form):
    """The name of a new organization, to confirm if the person already belongs to one with that name."""

    name = forms.CharField(
        max_length=NAME_MAX_CHARACTERS,
        widget=forms.TextInput(NOT_FOR_MANAGERS | {"class": "input"}),
        help_text="Can't be renamed or deleted here.",
        error_messages={"required": "Enter a name."},
    )

    def __init__(self, data: Mapping[str, Any] | None, *, taken: Collection[str]) -> None:
        """`taken`: names of the person's organizations."""
        super().__init__(data)
        self.taken = {name.casefold() for name in taken}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name = cleaned.get("name", "")
        if name.casefold() in self.taken:
            doubt = f"You already belong to an organization called “{name}”. Tick to create another."
            self.require_tick("another", f"Create another one called “{name}”", doubt, of=name)
        return cleaned
