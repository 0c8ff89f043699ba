"""The terms that every link of ours has."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib.auth.password_validation import CommonPasswordValidator, NumericPasswordValidator
from django.core.exceptions import ValidationError

from dashboard.links.models import CodedLink
from dashboard.web.expiry import EXACT, LIVES, EndForm
from dashboard.web.forms import SecretField
from dashboard.web.text import exact, local, relative

MOST_DAYS = 30
SHORTEST_PASSWORD = 8
KEEP = "keep"
PASSWORD_HINT = "At least 8 characters. Send it separately; it won't be shown again."  # noqa: S105 - a hint


class TermsForm(EndForm):
    """When a link expires (30 days ahead at most), its password, and a note to the people it is sent to."""

    note = forms.CharField(label="Note to the recipient", required=False, max_length=500, widget=forms.Textarea({"rows": 2}))
    password = SecretField(label="Password", required=False, strip=False, max_length=200, help_text=PASSWORD_HINT)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["life"].initial = "604800"

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if password:
            _require_strong(password)
        return password

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        end = data.get("ends_at")
        if end and end > datetime.now(UTC) + timedelta(days=MOST_DAYS, minutes=5):
            self.add_error("end", f"At most {MOST_DAYS} days ahead. You can extend it later.")
        return data


class ChangeForm(TermsForm):
    """New terms for an existing link: its end and its password stay unless others are given."""

    no_password = forms.BooleanField(label="Remove the password", required=False)

    def __init__(self, *args: Any, link: CodedLink, initial: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, initial={"note": link.note, **initial}, **kwargs)
        self._link = link
        life = cast("forms.ChoiceField", self.fields["life"])
        life.initial = KEEP
        life.choices = [
            self._as_it_is(),
            *((seconds, f"{words} from now") for seconds, words in LIVES.items()),
            (EXACT, "Until a date and time"),
        ]
        if link.password:
            self.fields["password"].label = "New password"
            self.fields["password"].help_text = f"Leave empty to keep the password. {PASSWORD_HINT}"
        else:
            del self.fields["no_password"]

    def _as_it_is(self) -> tuple[str, str]:
        ends_at = self._link.ends_at
        return KEEP, f"Unchanged: {relative(ends_at)} ({local(ends_at, self._link.zone) or exact(ends_at)})"

    @property
    def ends_at(self) -> datetime:
        """Only of a valid form."""
        return self.cleaned_data["ends_at"] or self._link.ends_at

    @property
    def new_password(self) -> str | None:
        """Only of a valid form: None keeps it, "" removes it."""
        return "" if self.cleaned_data.get("no_password") else self.cleaned_data.get("password") or None


def _require_strong(password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise ValidationError(f"Use at least {SHORTEST_PASSWORD} characters.")
    CommonPasswordValidator().validate(password)
    NumericPasswordValidator().validate(password)
