"""The form of a person's e-mail settings."""

from collections.abc import Mapping

from django import forms

from dashboard.notifications import kinds, mail
from dashboard.web.input.forms import Form

ALWAYS = "Always, as this is about your account."


class MailForm(Form):
    """A checkbox for each kind. Fields are numbered, because names of kinds contain spaces."""

    def __init__(self, data: Mapping[str, str] | None, *, chosen: Mapping[str, bool]) -> None:
        super().__init__(data)
        self.names = {f"kind-{number}": kind.name for number, kind in enumerate(kinds.listed())}
        for field, name in self.names.items():
            kind = kinds.find(name)
            fixed = kind is not None and kind.is_security
            self.fields[field] = forms.BooleanField(
                label=kinds.title_of(name),
                required=False,
                disabled=fixed,
                initial=chosen.get(name, False),
                help_text=ALWAYS if fixed else "",
            )

    @property
    def wanted(self) -> dict[str, bool]:
        """Whether the person wants e-mail, by kind."""
        return {name: self.cleaned_data[field] for field, name in self.names.items()}


def lead() -> str:
    """Return the sentence above the form."""
    inside = "Everything appears in Pilothouse. Choose what we also e-mail you."
    return inside if mail.is_set_up() else f"{inside} E-mail isn't set up here yet; an administrator sets EMAIL_URL."
