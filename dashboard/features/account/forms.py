"""What may be typed on the account pages."""

from collections.abc import Sequence

from django import forms

from dashboard.web.forms import Form, SecretField


class TokenForm(Form):
    """A pasted token; for storage with a project each also which one."""

    token = SecretField(label="Token", help_text="It is checked with the service at once, then sealed, and never shown again.")

    def leave_empty(self, hint: str) -> None:
        """The token may be left out; `hint` says what happens then."""
        self.fields["token"].required = False
        self.fields["token"].help_text = hint


class ChosenSpaceForm(TokenForm):
    """With the projects to choose from."""

    space = forms.ChoiceField(label="Project")
    field_order = ("space", "token")

    def __init__(self, data: object, *, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        field = self.fields["space"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = list(choices)
        self.has_choice = bool(choices)


class TypedSpaceForm(TokenForm):
    """Where there is no management interface that could list the projects."""

    space = forms.RegexField(
        r"^[a-z0-9-]{1,63}$",
        label="Project",
        help_text="The project's reference, as it stands in its storage address: small letters, digits and hyphens.",
        error_messages={"invalid": "A project's reference has only small letters, digits and hyphens, at most 63."},
    )
    field_order = ("space", "token")


class UnlockForm(Form):
    """The password from before somebody else's link was used."""

    former = forms.CharField(
        label="Old password",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        error_messages={"required": "Type your old password."},
    )


class NameForm(Form):
    name = forms.CharField(
        label="Name", max_length=100, required=False, help_text="As others read it in the journal and on the team page."
    )
