"""Forms for the terms that all our links have."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.password_validation import CommonPasswordValidator, NumericPasswordValidator
from django.core.exceptions import ValidationError

from dashboard.links.models import CodedLink
from dashboard.web.input.expiry import EndForm
from dashboard.web.input.forms import FileNameField, SecretField
from dashboard.web.text import exact, local, relative

SHORTEST_PASSWORD = 8
KEEP = "keep"
PASSWORD_HINT = "At least 8 characters. Send it separately; it won't be shown again."  # noqa: S105 - a hint


class TermsForm(EndForm):
    """A link's expiry, its password, and a note to the recipients."""

    note = forms.CharField(label="Note to the recipient", required=False, max_length=500, widget=forms.Textarea({"rows": 2}))
    password = SecretField(label="Password", required=False, strip=False, max_length=200, help_text=PASSWORD_HINT)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer("604800")

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if password:
            _require_strong(password)
        return password

    def require_password(self) -> None:
        """Make the password required."""
        field = self.fields["password"]
        field.required, field.help_text = True, f"Your team requires one. {PASSWORD_HINT}"
        field.error_messages["required"] = "Enter a password. Your team requires one."


class ChangeForm(TermsForm):
    """New terms for an existing link. Empty fields keep its expiry and password."""

    no_password = forms.BooleanField(label="Remove the password", required=False)

    def __init__(self, *args: Any, link: CodedLink, initial: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, initial={"note": link.note, **initial}, **kwargs)
        self._link = link
        self.offer(KEEP, before=(self._as_it_is(),), suffix=" from now")
        if link.password:
            self.fields["password"].label = "New password"
            self.fields["password"].help_text = f"Leave empty to keep the password. {PASSWORD_HINT}"
        else:
            del self.fields["no_password"]

    def _as_it_is(self) -> tuple[str, str]:
        end = self._link.expires_at
        return KEEP, f"Unchanged: {relative(end)} ({local(end, self._link.zone) or exact(end)})" if end else "Unchanged: no end"

    @property
    def ends_at(self) -> datetime:
        """The expiry. Valid forms only."""
        return self.cleaned_data["ends_at"] or self._link.ends_at

    @property
    def new_password(self) -> str | None:
        """The password; None keeps it, "" removes it. Valid forms only."""
        return "" if self.cleaned_data.get("no_password") else self.cleaned_data.get("password") or None


class OpensForm(EndForm):
    """When signed links expire, and whether they show or download."""

    opens = forms.ChoiceField(
        label="When opened",
        choices=[("view", "Show in the browser"), ("download", "Download")],
        widget=forms.RadioSelect,
        initial="view",
    )
    name = FileNameField(label="File name", help_text="Leave empty for the object's own name. Several are numbered.")

    @property
    def download(self) -> str | None:
        """The name of downloads, "" for the objects' own; None shows them. Valid forms only."""
        return str(self.cleaned_data.get("name", "")) if self.cleaned_data.get("opens") == "download" else None


def _require_strong(password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise ValidationError(f"Use at least {SHORTEST_PASSWORD} characters.")
    CommonPasswordValidator().validate(password)
    NumericPasswordValidator().validate(password)
