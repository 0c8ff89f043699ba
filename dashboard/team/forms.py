"""Forms for people, and allauth's forms with our labels."""

from typing import Any

from allauth.account import forms as allauth_forms
from django import forms
from django.http import HttpRequest

from dashboard.team import mail
from dashboard.team.attempts import own_password_fits
from dashboard.team.links import base_url
from dashboard.team.models import Person, Role
from dashboard.team.passwords import RULES, set_by_link
from dashboard.web.forms import Form

ROLES = {
    Role.VIEWER: "Viewer: sees what their own tokens read, but no secret values, function bodies or root key",
    Role.OPERATOR: "Operator: also changes objects, secrets and functions, shares links, lifts bans",
    Role.ADMINISTRATOR: "Administrator: also creates projects, deletes buckets and hostnames, changes restrictions and root keys",
    Role.OWNER: "Owner: also adds people, changes roles, sees everybody's activity",
}


class PersonForm(Form):
    email = forms.EmailField(label="E-mail address", max_length=254, help_text="Used to sign in.")
    name = forms.CharField(label="Name", max_length=100, required=False, help_text="Shown to the team.")
    role = forms.ChoiceField(label="Role", choices=list(ROLES.items()), initial=Role.OPERATOR, widget=forms.RadioSelect)


class RoleForm(Form):
    role = forms.ChoiceField(label="Role", choices=list(ROLES.items()), widget=forms.RadioSelect)


class HandoverForm(Form):
    receiver = forms.ModelChoiceField(label="New owner of it", queryset=Person.objects.none(), empty_label="Choose a person")

    def __init__(self, data: Any, *, person: Person) -> None:
        super().__init__(data)
        self.fields["receiver"].queryset = Person.objects.filter(is_active=True).exclude(pk=person.pk)  # type: ignore[attr-defined] # declared above


class PasswordForm(Form):
    """Confirms the password before a dangerous act."""

    password = forms.CharField(
        label="Password",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "current-password", "autofocus": True, "data-focus": ""}),
        error_messages={"required": "Enter your password."},
    )


class LoginForm(allauth_forms.LoginForm):  # type: ignore[misc] # allauth carries no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        _relabel(self, login="E-mail address", password="Password", remember="Keep me signed in on this device")  # noqa: S106 - labels
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}


class ChangePasswordForm(allauth_forms.ChangePasswordForm):  # type: ignore[misc] # allauth carries no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        _relabel(self, oldpassword="Current password", password1="New password", password2="New password again")
        self.fields["password1"].help_text = RULES

    def clean_oldpassword(self) -> str:
        password = str(self.cleaned_data.get("oldpassword", ""))
        if not own_password_fits(self.user, lambda: bool(self.user.check_password(password))):
            raise forms.ValidationError("This is not your current password.")
        return password


class SetPasswordForm(allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc] # allauth carries no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        _relabel(self, password1="Password", password2="Password again")
        self.fields["password1"].help_text = RULES

    def save(self) -> None:
        set_by_link(self.user, self.cleaned_data["password1"], key=self.temp_key)


class ResetPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc] # allauth carries no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        _relabel(self, email="E-mail address")

    def save(self, request: HttpRequest, **_: Any) -> str:
        """Send the mail. The answer and its timing don't reveal whether the address is known."""
        for person in self.users:
            mail.reset(person, base_url(request))
        return str(self.cleaned_data["email"])


def _relabel(form: forms.Form, **labels: str) -> None:
    for name, label in labels.items():
        if field := form.fields.get(name):
            field.label, field.help_text = label, ""
            field.widget.attrs.pop("placeholder", None)
