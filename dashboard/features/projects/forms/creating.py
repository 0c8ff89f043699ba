"""What a person may type about a project that is to be created, and must tick before it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from dashboard.features.projects.passwords import Password
from dashboard.features.projects.regions import groups
from dashboard.interfaces.management.organizations import Organization
from dashboard.interfaces.management.projects import Project
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, SecretField

LONGEST = 256
PLANS = {"free": "Free", "pro": "Pro"}
GENERATED, OWN = "generated", "own"


class ProjectForm(Form):
    """Everything the service wants to know. `kept` is the password of an earlier round, which travels sealed in the form."""

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
        error_messages={"required": "Choose the region.", "invalid_choice": "There is no such region on offer. Choose another."},
    )
    plan = forms.ChoiceField(
        choices=list(PLANS.items()), widget=forms.RadioSelect, error_messages={"required": "Choose the plan."}
    )
    kind = forms.ChoiceField(
        label="Database password",
        choices=[(GENERATED, "Generate one, shown on the next page"), (OWN, "I have one")],
        widget=forms.RadioSelect,
        help_text="For the user “postgres”. No operation of the service ever shows it again.",
    )
    password = SecretField(required=False, label="Your password", max_length=LONGEST)

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        organizations: Sequence[Organization],
        kept: Password | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial={"plan": "free", "kind": GENERATED, **(initial or {})})
        self.kept = kept
        names = [(organization.id, organization.name) for organization in organizations]
        several = len(names) > 1
        self._choose("organization", [("", "Choose an organization"), *names] if several else names)
        self._choose("region", [("", "Choose a region"), *groups()])
        travels = self.typed()
        if travels and not travels.generated:
            hint = "The one that you typed is kept. Type another one to replace it."
        else:
            hint = "Kept nowhere in Pilothouse: it goes to the service once."
        self.fields["password"].help_text = hint

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        own = cleaned.get("kind") == OWN
        kept = bool(self.kept and not self.kept.generated)
        if own and not cleaned.get("password") and not kept and "password" not in self.errors:
            self.add_error("password", "Type the password, or have one generated.")
        return cleaned

    def typed(self) -> Password | None:
        """The password that belongs to what was chosen, typed now or kept from before; None: one is to be generated."""
        wants_own = self.data.get("kind") == OWN
        typed = str(self.data.get("password", "")).strip() if wants_own else ""
        if typed and len(typed) <= LONGEST:
            return Password(typed, generated=False)
        return self.kept if self.kept and self.kept.generated is not wants_own else None

    def _choose(self, name: str, choices: Sequence[Any]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices


class ReviewForm(Form):
    """What must be ticked before anything is sent: only what applies."""

    def __init__(self, data: Mapping[str, Any] | None, *, password: Password, namesakes: Sequence[Project], name: str) -> None:
        super().__init__(data)
        if namesakes:
            label = f"Create another project called “{name}”"
            self.fields["another"] = forms.BooleanField(
                label=label, error_messages={"required": "There is one of this name already. Tick the box to have another."}
            )
        if password.generated:
            self.fields["saved"] = forms.BooleanField(
                label="I saved the password", error_messages={"required": "Save the password first: it is never shown again."}
            )
