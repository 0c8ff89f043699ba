"""Forms to give and change access: people, acts, sections or folders, and an expiry."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.features.access.rules import acts_of, at_least, folders_of
from dashboard.features.access.services.grants import Terms
from dashboard.features.access.services.rows import Filters
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.scope import SECTIONS
from dashboard.web.input.expiry import ENDLESS, EXACT, LIVES, EndForm
from dashboard.web.input.forms import FilterForm, Form
from dashboard.web.pages.navigation import place_title

Pairs = Sequence[tuple[str, str]]
WHOLE, PARTS = "whole", "parts"
# Number of empty lines for more folders.
MORE_FOLDERS = 2
LINES_MAX = 100
PERSON_DIGITS = 18


class FolderLines(forms.Widget):
    """Text lines with one field name and suggestions, and below them, where `browse` is an address, folders to tick.

    Without any line, these are read at once.
    """

    use_fieldset = True
    template_name = "access/folder_lines.html"

    def __init__(self, suggestions: Sequence[str] = (), browse: str = "") -> None:
        super().__init__()
        self.suggestions, self.browse = suggestions, browse

    def value_from_datadict(self, data: Any, files: object, name: str) -> list[str]:  # noqa: ARG002 - Django's signature
        return list(data.getlist(name))[:LINES_MAX] if hasattr(data, "getlist") else list(data.get(name, ()))

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        named = [line for line in value or () if line]
        return super().get_context(name, value, attrs) | {
            "named": named,
            "lines": [*named, *[""] * MORE_FOLDERS],
            "suggestions": self.suggestions,
            "browse": self.browse,
        }


class FoldersField(forms.Field):
    """Buckets and folders, one per line. The form requires some, unless it is the whole storage."""

    widget = FolderLines

    def validate(self, value: Any) -> None:
        """Accept none."""

    def to_python(self, value: Any) -> tuple[str, ...]:
        try:
            return folders_of(value or ())
        except ValueError as wrong:
            raise ValidationError(str(wrong)) from None


class TermsForm(EndForm):
    """What is allowed at one place, and until when."""

    reach = forms.ChoiceField(
        label="Where",
        choices=[(PARTS, "Some buckets or folders"), (WHOLE, "The whole storage")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose where."},
    )
    folders = FoldersField(label="Buckets and folders", help_text="For example photos/ or photos/2026/. Letter case matters.")
    sections = forms.MultipleChoiceField(
        label="Sections",
        choices=list(SECTIONS.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one section."},
    )
    acts = forms.MultipleChoiceField(
        label="What they may do",
        widget=forms.CheckboxSelectMultiple,
        initial=["read"],
        error_messages={"required": "Choose at least one."},
    )
    note = forms.CharField(label="Note", required=False, max_length=200, widget=forms.Textarea({"rows": 2}))
    field_order: Sequence[str] = (*("people", "role", "reach", "folders", "sections", "acts", "life", "end", "zone", "note"),)

    def __init__(self, *args: Any, kind: str, suggestions: Sequence[str] = (), browse: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        acts, life = self.fields["acts"], self.fields["life"]
        assert isinstance(acts, forms.MultipleChoiceField) and isinstance(life, forms.ChoiceField)  # noqa: S101, PT018 - declared above
        acts.choices = list(acts_of(kind).items())
        life.choices = [(ENDLESS, "Until revoked"), *list(LIVES.items())[1:], (EXACT, "Until a date and time")]
        life.label, life.initial = "For how long", ENDLESS
        self.fields["end"].label = "Ends at"
        for name in ("sections",) if kind == Kind.STORAGE else ("reach", "folders"):
            del self.fields[name]
        if "folders" in self.fields:
            self.fields["folders"].widget = FolderLines(suggestions, browse)

    @classmethod
    def of(cls, grant: Grant, data: Any, **options: Any) -> "TermsForm":
        """Return the form to change a grant."""
        initial = {
            "reach": PARTS if grant.folders else WHOLE,
            "folders": grant.folders,
            "sections": grant.sections,
            "acts": grant.acts,
            "note": grant.note,
            "life": EXACT if grant.ends_at else ENDLESS,
            "end": grant.ends_at,
            "zone": "UTC",
        }
        return cls(data, kind=grant.kind, initial=initial, **options)

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if data.get("life") == ENDLESS:
            data["ends_at"] = None
        if data.get("reach") == PARTS and data.get("folders") == ():
            self.add_error("folders", "Name at least one bucket or folder, or choose the whole storage.")
        if data.get("acts") and "read" not in data["acts"]:
            self.add_error("acts", "Everything else needs View: tick it, too.")
        return data

    @property
    def terms(self) -> Terms:
        """The terms. Valid forms only."""
        data = self.cleaned_data
        return Terms(
            acts=tuple(data["acts"]),
            sections=tuple(data.get("sections", ())),
            folders=data["folders"] if data.get("reach") == PARTS else (),
            ends_at=data["ends_at"],
            note=data["note"].strip(),
        )


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg] # Django has no parameter at runtime
    """Chosen people. Refuses numbers too large for the database like those of unknown people."""

    def clean(self, value: Any) -> Any:
        for number in value or ():
            if len(str(number)) > PERSON_DIGITS:
                raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice", params={"value": "…"})
        return super().clean(value)


class GrantForm(TermsForm):
    """Access for people, or for everybody with at least a role."""

    people = PeopleField(label="People", required=False, queryset=Person.objects.none(), widget=forms.CheckboxSelectMultiple)
    role = forms.ChoiceField(label="Everybody with a role", required=False, help_text="Includes people who join later.")

    def __init__(self, *args: Any, giver: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people, role = self.fields["people"], self.fields["role"]
        assert isinstance(people, forms.ModelMultipleChoiceField) and isinstance(role, forms.ChoiceField)  # noqa: S101, PT018 - declared above
        people.queryset = Person.objects.filter(is_active=True).exclude(pk=giver.pk)
        role.choices = [("", "Nobody"), *((value, at_least(value)) for value in Role.values)]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not data.get("people") and not data.get("role") and not {"people", "role"} & self.errors.keys():
            self.add_error("people", "Choose who gets access.")
        return data


class PeopleFilter(FilterForm):
    """The filter of the people: by name, and by what they reach."""

    q = forms.CharField(required=False)
    place = forms.ChoiceField(required=False)
    bucket = forms.ChoiceField(label="Bucket", required=False)

    def __init__(self, data: Mapping[str, str], choices: Mapping[str, Pairs]) -> None:
        super().__init__(data)
        self.fields["place"].label = place_title()
        for name, nothing in (("place", f"Any {place_title().lower()}"), ("bucket", "Any bucket")):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
            field.choices = [("", nothing), *choices[name]]

    @property
    def filters(self) -> Filters:
        return Filters(place=self.cleaned_data["place"], bucket=self.cleaned_data["bucket"])


class CredentialForm(Form):
    """Chooses the credential to use at a place."""

    OWN = "own"
    credential = forms.ChoiceField(label="Act through", widget=forms.RadioSelect)

    def __init__(self, *args: Any, choices: Pairs, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["credential"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = choices

    @property
    def grant_id(self) -> int | None:
        """The chosen grant; None for the person's own token. Valid forms only."""
        chosen = self.cleaned_data["credential"]
        return None if chosen == self.OWN else int(chosen)
