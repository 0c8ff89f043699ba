"""What a person types and ticks on the way to another root key."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from dashboard.features.encryption.rules import LENGTH, key_problem
from dashboard.web.confirm import PRODUCTION, UNTICKED
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, SecretField

GENERATE, PASTE = "generate", "paste"
SOURCES = [(GENERATE, "Generate one here, from the system's random source"), (PASTE, "Use a key that I paste")]


class NewKeyForm(Form):
    """Where the new key comes from, and that the present one is safe."""

    saved = forms.BooleanField(
        label="The present key is saved where I will find it again",
        help_text="In a password manager or a safe, not only in the folder of downloads.",
        error_messages={"required": "Save the present key and tick this first."},
    )
    source = forms.ChoiceField(label="New key", choices=SOURCES, initial=GENERATE, widget=forms.RadioSelect)
    key = SecretField(
        label="Key to paste",
        required=False,
        help_text=f"{LENGTH} hexadecimal characters, which are 32 bytes. Only where you paste one.",
    )
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


class CeremonyForm(Form):
    """One box for each consequence, one more where the project is production, and the project's ref, typed."""

    def __init__(self, data: Mapping[str, Any] | None, *, ref: str, consequences: Sequence[str], production: bool) -> None:
        super().__init__(data)
        self.ref = ref
        for number, consequence in enumerate(consequences, 1):
            self.fields[f"consequence_{number}"] = forms.BooleanField(
                label=consequence, error_messages={"required": "Tick this when you have read it."}
            )
        if production:
            self.fields["production"] = forms.BooleanField(label=PRODUCTION, error_messages={"required": UNTICKED})
        self.fields["typed"] = forms.CharField(
            label=f"Type the project's ref, {ref}",
            strip=False,
            widget=forms.TextInput(NOT_FOR_MANAGERS),
            error_messages={"required": f"Type {ref} to go on. Nothing was sent."},
        )

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if typed != self.ref:
            raise forms.ValidationError(f"That is not {self.ref}: every character counts. Nothing was sent.")
        return typed
