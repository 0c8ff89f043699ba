"""Forms for tokens and the name."""

from collections.abc import Iterable, Sequence

from django import forms

from dashboard.web.forms import Form, SecretField


class TokenForm(Form):
    """A pasted token."""

    token = SecretField(label="Token", help_text="Checked at once, stored encrypted, and never shown again.")

    def leave_empty(self, hint: str) -> None:
        """Make the token optional; `hint` says what happens without it."""
        self.fields["token"].required = False
        self.fields["token"].help_text = hint


class KeysForm(Form):
    """Storage keys, one per project. Empty ones are skipped."""

    def __init__(self, data: object, *, spaces: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        for space, title in spaces:
            self.fields[f"key-{space}"] = SecretField(label=title, required=False)

    @staticmethod
    def posted_spaces(data: Iterable[str]) -> list[str]:
        """Return the spaces that the form showed fields for."""
        return [name.removeprefix("key-") for name in data if name.startswith("key-")]

    @property
    def pasted(self) -> dict[str, str]:
        """The keys by space."""
        return {name.removeprefix("key-"): key for name, key in self.cleaned_data.items() if key}

    def forget(self, spaces: Sequence[str]) -> None:
        """Remove the fields of spaces whose key is now stored."""
        for space in spaces:
            del self.fields[f"key-{space}"]


class ChosenSpaceForm(TokenForm):
    """A token for one of the projects."""

    space = forms.ChoiceField(label="Project")
    field_order = ("space", "token")

    def __init__(self, data: object, *, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        field = self.fields["space"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = list(choices)
        self.has_choice = bool(choices)


class TypedSpaceForm(TokenForm):
    """A token for a project by its ref, for installations without a management interface to list projects."""

    space = forms.RegexField(
        r"^[a-z0-9-]{1,63}$",
        label="Project",
        help_text="The project's ref, from its storage address.",
        error_messages={"invalid": "Use lower-case letters, digits and hyphens, at most 63."},
    )
    field_order = ("space", "token")


class NameForm(Form):
    name = forms.CharField(label="Name", max_length=100, required=False, help_text="Shown to your team.")
