"""Forms to choose a new root key and to confirm its consequences."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from dashboard.features.encryption.rules import KEY_CHARACTERS, key_problem
from dashboard.web.input.forms import Form, SecretField
from dashboard.web.pages.confirm import PRODUCTION, UNTICKED

GENERATE, PASTE = "generate", "paste"
SOURCES = [(GENERATE, "Generate a random key"), (PASTE, "Paste a key")]


class NewKeyForm(Form):
    """The new key, and whether the current one is saved elsewhere."""

    saved = forms.BooleanField(
        label="I saved the current key",
        help_text="In a password manager or a safe, not only in your downloads.",
        error_messages={"required": "Save the current key, then tick this box."},
    )
    source = forms.ChoiceField(label="New key", choices=SOURCES, initial=GENERATE, widget=forms.RadioSelect)
    key = SecretField(label="Key to paste", required=False, help_text=f"{KEY_CHARACTERS} hexadecimal characters (32 bytes).")
    lowered = False

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("source") == PASTE:
            cleaned["key"] = self._checked("".join(str(cleaned.get("key", "")).split()))
        return cleaned

    def _checked(self, typed: str) -> str:
        key = typed.lower()
        self.lowered = key != typed
        if not key:
            self.add_error("key", "Paste the new key.")
        elif problem := key_problem(key):
            self.add_error("key", problem)
        return key


class ConfirmationForm(Form):
    """A checkbox for each consequence, and one for production projects."""

    def __init__(self, data: Mapping[str, Any] | None, *, consequences: Sequence[str], production: bool) -> None:
        super().__init__(data)
        for number, consequence in enumerate(consequences, 1):
            self.fields[f"consequence_{number}"] = forms.BooleanField(
                label=consequence, error_messages={"required": "Tick this box to continue."}
            )
        if production:
            self.fields["production"] = forms.BooleanField(label=PRODUCTION, error_messages={"required": UNTICKED})
