"""Forms for people, and allauth's forms with our labels."""

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as webauthn_forms
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest

from dashboard.team import factors, mail
from dashboard.team.attempts import journal_wrong_code, own_code_fits, own_password_fits
from dashboard.team.models import Person, Role
from dashboard.team.passwords import RULES, set_by_link
from dashboard.web.http.requests import public_address
from dashboard.web.input.forms import Form, JsonField

ROLES = {
    Role.VIEWER: "Viewer: sees what their own tokens read, but no secret values, function code or root key",
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
    receiver = forms.ModelChoiceField(label="Hand over to", queryset=Person.objects.none(), empty_label="Choose a person")

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


class CodeField(forms.CharField):
    """A code of the authenticator app or, unless `is_new`, a recovery code."""

    def __init__(self, *, is_new: bool = False) -> None:
        keyboard = {"inputmode": "numeric"} if is_new else {}
        widget = forms.TextInput({"autocomplete": "one-time-code", "class": "input input--mono", "data-focus": "", **keyboard})
        super().__init__(
            label="Code from the app" if is_new else "Code",
            max_length=40,
            widget=widget,
            help_text="" if is_new else "From your authenticator app, or a recovery code.",
            error_messages={"required": "Enter the code."},
        )


class CodeForm(Form):
    """Confirms a dangerous act for people without a password."""

    code = CodeField()


class CredentialField(JsonField):
    def __init__(self) -> None:
        super().__init__(error_messages=dict.fromkeys(("required", "invalid"), factors.WRONG_PASSKEY))


class CredentialForm(Form):
    """A browser's proof of a passkey."""

    credential = CredentialField()


class AppForm(Form):
    """Sets up an authenticator app: the code that it shows."""

    code = CodeField(is_new=True)


class PasskeyNameForm(Form):
    name = forms.CharField(label="Name", max_length=60, help_text="Such as “Laptop” or “Security key”.")


class NewPasskeyForm(PasskeyNameForm, CredentialForm):
    """A new passkey, made by the browser."""


class SecondFactorForm(AuthenticateForm):  # type: ignore[misc] # allauth carries no types
    """The second step of a sign-in. `factors.use_code` stores used codes in rows, `attempts` counts wrong ones."""

    code = CodeField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["code"].widget.attrs["autofocus"] = True

    @property
    def is_offered(self) -> bool:
        return bool(factors.kinds_of(self.user) & {factors.APP, factors.CODES})

    def clean_code(self) -> str:
        def fits() -> bool:
            self.authenticator = factors.use_code(self.user, self.cleaned_data["code"])
            return self.authenticator is not None

        if not own_code_fits(self.user, fits):
            journal_wrong_code(context.request, self.user)
            raise forms.ValidationError(factors.WRONG_CODE)
        return str(self.cleaned_data["code"])


class FormerPasswordForm(PasswordForm):
    """Unlocks a locked account with the password from before the lock."""

    password = forms.CharField(
        label="Password from before",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        error_messages={"required": "Enter your password from before."},
    )


class MailedCodeForm(Form):
    """Unlocks a locked account with a code mailed to the person."""

    mailed = forms.CharField(
        label="Code from the mail",
        max_length=40,
        widget=forms.TextInput({"autocomplete": "one-time-code", "class": "input input--mono", "inputmode": "numeric"}),
        error_messages={"required": "Enter the code."},
    )


class NewPasswordForm(Form):
    """Chooses a new password."""

    password = forms.CharField(
        label="New password",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=RULES,
    )
    again = forms.CharField(
        label="New password again",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    def __init__(self, data: Any, *, person: Person) -> None:
        super().__init__(data)
        self._person = person

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        validate_password(password, self._person)
        return password

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if "password" in cleaned and "again" in cleaned and cleaned["password"] != cleaned["again"]:
            raise forms.ValidationError({"again": "Enter the same password twice."})
        return cleaned


class StartOverForm(NewPasswordForm):
    """Chooses a new password for an account that starts over."""

    typed = forms.CharField(label="Your e-mail address, to confirm", max_length=254)

    def clean_typed(self) -> str:
        typed = str(self.cleaned_data["typed"])
        if typed != self._person.email:
            raise forms.ValidationError(f"This does not match {self._person.email}. Case matters. Nothing was changed.")
        return typed


class _Passkey:
    """Refuse a malformed proof like a wrong passkey. Some of these crash allauth's forms."""

    def clean_credential(self) -> Authenticator:
        try:
            return super().clean_credential()  # type: ignore[misc] # of the form beside it
        except (forms.ValidationError, ValueError, TypeError, KeyError, AttributeError):
            raise forms.ValidationError(factors.WRONG_PASSKEY) from None


class SecondPasskeyForm(_Passkey, webauthn_forms.AuthenticateWebAuthnForm):  # type: ignore[misc] # allauth carries no types
    """A passkey as the second step of a sign-in."""

    credential = CredentialField()

    @property
    def is_offered(self) -> bool:
        return factors.PASSKEY in factors.kinds_of(self.user)


class PasskeySignInForm(_Passkey, webauthn_forms.LoginWebAuthnForm):  # type: ignore[misc] # allauth carries no types
    """A passkey instead of a password."""

    credential = CredentialField()


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
        self.fields["oldpassword"].widget.attrs["autofocus"] = True
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
        self.fields["password1"].widget.attrs["autofocus"] = True
        self.fields["password1"].help_text = RULES

    def save(self) -> None:
        set_by_link(self.user, self.cleaned_data["password1"], key=self.temp_key)


class ResetPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc] # allauth carries no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        _relabel(self, email="E-mail address")
        self.fields["email"].widget.attrs["autofocus"] = True

    def save(self, request: HttpRequest, **_: Any) -> str:
        """Send the mail. The answer and its timing don't reveal whether the address is known."""
        for person in self.users:
            mail.reset(person, public_address(request))
        return str(self.cleaned_data["email"])


def _relabel(form: forms.Form, **labels: str) -> None:
    for name, label in labels.items():
        field = form.fields[name]
        field.label, field.help_text = label, ""
        field.widget.attrs.pop("placeholder", None)
