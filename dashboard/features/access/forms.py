"""Forms to give and change access: people, acts, sections or folders, and an expiry."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.features.access.rules import at_least, folders_of, in_words, is_folder, place_in_words
from dashboard.features.access.services.grants import Terms, Tree
from dashboard.features.access.services.rows import Filters
from dashboard.team.models import Person, Role
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.scope import MANAGEMENT_ACTS, SECTIONS, STORAGE_ACTS
from dashboard.web.input.expiry import ENDLESS, EXACT, LIVES, EndForm
from dashboard.web.input.forms import FilterForm, Form, FreshForm
from dashboard.web.pages.navigation import place_title

Pairs = Sequence[tuple[str, str]]
READ = "read"
# The choice of an end that changes none.
KEPT = "kept"
NOTHING_TICKED = "Nothing is ticked. Tick at least one bucket, folder or section."
NOTHING_LEFT = "Nothing is left ticked. To end this access, revoke it."
# Number of empty lines for more folders.
MORE_FOLDERS = 2
LINES_MAX = 100
PERSON_DIGITS = 18


class FolderLines(forms.Widget):
    """Folders with a box each, and text lines for others; where `browse` is an address, more are read from there.

    Without any folder, these are read at once. `stored` are shown also if their boxes are not ticked.
    """

    use_fieldset = True
    template_name = "access/folder_lines.html"

    def __init__(self, suggestions: Sequence[str] = (), browse: str = "", stored: Sequence[str] = ()) -> None:
        super().__init__()
        self.suggestions, self.browse, self.stored = suggestions, browse, stored

    def value_from_datadict(self, data: Any, files: object, name: str) -> list[str]:  # noqa: ARG002 - Django's signature
        return list(data.getlist(name))[:LINES_MAX] if hasattr(data, "getlist") else list(data.get(name, ()))

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        typed = [line for line in value or () if line]
        boxes = dict.fromkeys([*self.stored, *(line for line in typed if is_folder(line))])
        return super().get_context(name, value, attrs) | {
            "boxes": [(folder, folder in typed) for folder in boxes],
            "lines": [*(line for line in typed if line not in boxes), *[""] * MORE_FOLDERS],
            "suggestions": self.suggestions,
            "browse": self.browse,
        }


class FoldersField(forms.Field):
    """Buckets and folders, one per line. The form decides whether there have to be some."""

    widget = FolderLines

    def validate(self, value: Any) -> None:
        """Accept none."""

    def to_python(self, value: Any) -> tuple[str, ...]:
        try:
            return folders_of(value or ())
        except ValueError as wrong:
            raise ValidationError(str(wrong)) from None


class BoxesField(forms.MultipleChoiceField):
    """Boxes to tick. The form decides whether some have to be."""

    widget = forms.CheckboxSelectMultiple

    def validate(self, value: Any) -> None:
        if value:
            super().validate(value)


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg] # Django has no parameter at runtime
    """Chosen people. Refuses numbers too large for the database like those of unknown people."""

    def clean(self, value: Any) -> Any:
        for number in value or ():
            if len(str(number)) > PERSON_DIGITS:
                raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice", params={"value": "…"})
        return super().clean(value)


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of token may be used for: the fields for where and for which acts, and what is said without a place."""

    title: str
    places: tuple[str, ...]
    acts: str
    nowhere: str


PARTS = {
    Kind.STORAGE.value: Part(
        "Storage",
        ("whole", "folders"),
        "storage_acts",
        "Name a bucket or folder, tick the whole storage, or untick what they may do.",
    ),
    Kind.MANAGEMENT.value: Part("Sections", ("sections",), "section_acts", "Tick a section, or untick what they may do."),
}


class AccessForm(FreshForm, EndForm):
    """What one giver allows at one place, by kind, and until when: to people or a role, or, with a `tree`, to its receiver."""

    template_name = "access/_fields.html"

    people = PeopleField(label="People", required=False, queryset=Person.objects.none(), widget=forms.CheckboxSelectMultiple)
    role = forms.ChoiceField(label="Everybody with a role", required=False, help_text="Includes people who join later.")
    whole = forms.BooleanField(label="The whole storage", required=False)
    folders = FoldersField(label="Buckets and folders", help_text="Tick or type, for example photos/2026/. Letter case matters.")
    storage_acts = BoxesField(label="What they may do", choices=list(STORAGE_ACTS.items()), initial=[READ])
    sections = BoxesField(label="Sections", choices=list(SECTIONS.items()))
    section_acts = BoxesField(label="What they may do", choices=list(MANAGEMENT_ACTS.items()), initial=[READ])
    note = forms.CharField(label="Note", required=False, max_length=200, widget=forms.Textarea({"rows": 2}))
    # Only where the notes of a tree differ.
    sections_note = forms.CharField(
        label="Note on the sections", required=False, max_length=200, widget=forms.Textarea({"rows": 2})
    )

    def __init__(
        self,
        *args: Any,
        giver: Person,
        kinds: Collection[str],
        tree: Tree | None = None,
        given: Iterable[Grant] = (),
        more: Sequence[str] = (),
        suggestions: Sequence[str] = (),
        browse: str = "",
        initial: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Offer these kinds and those of the tree. `more`: folders ticked beside those of the tree.

        People who have a grant among `given` get no box, but are understood.
        """
        self.tree = tree or {}
        shown = [(grant.pk, grant.version, grant.ends_at, grant.note) for grant in self.tree.values()]
        super().__init__(*args, shown=shown, initial={**self._stored(), **(initial or {})}, **kwargs)
        folders = self.initial.get("folders", ())
        self.initial["folders"] = [*folders, *more]
        self.fields["folders"].widget = FolderLines(suggestions, browse, stored=folders)
        for kind in PARTS.keys() - {*kinds, *self.tree}:
            for name in (*PARTS[kind].places, PARTS[kind].acts):
                del self.fields[name]
        self._offer_ends()
        if len({grant.note for grant in self.tree.values()}) > 1:
            self.fields["note"].label = "Note on the storage"
        else:
            del self.fields["sections_note"]
        if self.tree:
            del self.fields["people"], self.fields["role"]
        else:
            self._offer_receivers(
                Person.objects.filter(is_active=True).exclude(pk=giver.pk), {grant.person_id for grant in given}
            )

    def now(self) -> str:
        told = (f"{in_words(grant.scope)} · {place_in_words(grant.scope)}" for grant in self.tree.values())
        return f"This access has changed since you opened it. It is now: {'; '.join(told)}."

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if data.get("life") == ENDLESS:
            data["ends_at"] = None
        for part in PARTS.values():
            if part.acts in data:
                self._check(part)
        if not self.tree and not data.get("people") and not data.get("role") and not {"people", "role"} & self.errors.keys():
            self.add_error("people", "Choose who gets access.")
        if not self.errors and not self.terms:
            self.add_error(None, NOTHING_LEFT if self.tree else NOTHING_TICKED)
        return data

    @property
    def terms(self) -> dict[str, Terms]:
        """The terms by kind, without kinds in which nothing is ticked. Valid forms only."""
        data = self.cleaned_data
        notes = {Kind.MANAGEMENT.value: "sections_note"} if "sections_note" in data else {}
        return {
            kind: Terms(
                acts=tuple(data[part.acts]),
                sections=tuple(data["sections"]) if kind == Kind.MANAGEMENT else (),
                folders=data["folders"] if kind == Kind.STORAGE and not data["whole"] else (),
                ends_at=self._ends_at(kind),
                note=data[notes.get(kind, "note")].strip(),
            )
            for kind, part in PARTS.items()
            if any(data.get(name) for name in part.places)
        }

    def _check(self, part: Part) -> None:
        """Refuse acts without a place, and a place without View. View alone is ticked from the start, so it asks for nothing."""
        data = self.cleaned_data
        acts, is_somewhere = {*data[part.acts]}, any(data.get(name) for name in part.places)
        if not is_somewhere and acts - {READ} and part.places[-1] not in self.errors:
            self.add_error(part.places[-1], part.nowhere)
        elif is_somewhere and READ not in acts:
            self.add_error(part.acts, "Everything else needs View: tick it, too." if acts else "Choose at least one.")

    def _stored(self) -> dict[str, Any]:
        """Return the initial values for what is stored."""
        found: dict[str, Any] = {}
        for kind, grant in self.tree.items():
            found[PARTS[kind].acts] = grant.acts
            found["sections_note" if "note" in found else "note"] = grant.note
            if kind == Kind.STORAGE:
                found |= {"whole": not grant.folders, "folders": grant.folders}
            else:
                found["sections"] = grant.sections
        return found

    def _offer_ends(self) -> None:
        life, ends = self.fields["life"], {grant.ends_at for grant in self.tree.values()}
        assert isinstance(life, forms.ChoiceField)  # noqa: S101 - declared above
        has_ended = any(end and end <= timezone.now() for end in ends)
        as_now = [] if has_ended or ends <= {None} else [(KEPT, f"As now: {self._ends_in_words()}")]
        life.choices = [*as_now, (ENDLESS, "Until revoked"), *list(LIVES.items())[1:], (EXACT, "Until a date and time")]
        life.label, life.initial = "For how long", "" if has_ended else life.choices[0][0]
        life.error_messages["required"] = "Choose for how long."
        self.fields["end"].label = "Ends at"

    def _ends_in_words(self) -> str:
        ends = {
            PARTS[kind].title.lower(): f"until {grant.ends_at:%-d %b %Y, %H:%M} UTC" if grant.ends_at else "until revoked"
            for kind, grant in self.tree.items()
        }
        return (
            ", ".join(f"{name} {end}" for name, end in ends.items()) if len({*ends.values()}) > 1 else next(iter(ends.values()))
        )

    def _offer_receivers(self, everybody: QuerySet[Person], left_out: Collection[int | None]) -> None:
        people, role = self.fields["people"], self.fields["role"]
        assert isinstance(people, forms.ModelMultipleChoiceField) and isinstance(role, forms.ChoiceField)  # noqa: S101, PT018 - declared above
        people.queryset = everybody
        offered = [(person.pk, str(person)) for person in everybody if person.pk not in left_out]
        people.widget.choices, people.help_text = offered, "" if offered else "Everybody has access here already."
        role.choices = [("", "Nobody"), *((value, at_least(value)) for value in Role.values)]

    def _ends_at(self, kind: str) -> datetime | None:
        """Return the end that was chosen. As now, a kind that is added ends with the other."""
        if self.cleaned_data["life"] != KEPT:
            return self.cleaned_data["ends_at"]  # type: ignore[no-any-return] # as the form has it
        return (self.tree.get(kind) or next(iter(self.tree.values()))).ends_at


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
