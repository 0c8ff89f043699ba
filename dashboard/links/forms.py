"""The terms that every link of ours has."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.contrib.auth.password_validation import CommonPasswordValidator, NumericPasswordValidator
from django.core.exceptions import ValidationError

from dashboard.web.expiry import EndForm
from dashboard.web.forms import SecretField

MOST_DAYS = 30
SHORTEST_PASSWORD = 8
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


def _require_strong(password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise ValidationError(f"Use at least {SHORTEST_PASSWORD} characters.")
    CommonPasswordValidator().validate(password)
    NumericPasswordValidator().validate(password)
