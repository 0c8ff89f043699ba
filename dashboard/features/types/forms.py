"""A committed file, uploaded or pasted, to be compared and forgotten."""

import codecs
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from dashboard.features.types.rules.query import names
from dashboard.web.forms import NOT_FOR_MANAGERS, Form

MOST_BYTES = 2 * 1024 * 1024


class CheckForm(Form):
    """One of file and text, and the schemas to compare with (those of the file where none is named)."""

    file = forms.FileField(
        label="File of types", required=False, help_text="Such as database.types.ts, up to 2 MiB. It is not kept."
    )
    text = forms.CharField(
        label="Or its text",
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 8, "spellcheck": "false", "class": "input input--mono", "autocomplete": "off"}),
    )
    schemas = forms.CharField(
        label="Schemas",
        required=False,
        max_length=2000,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Comma-separated. Defaults to the schemas in your file.",
    )

    def clean_schemas(self) -> tuple[str, ...]:
        return names(self.cleaned_data["schemas"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        file: UploadedFile[bytes] | None = cleaned.get("file")
        text: str = cleaned.get("text") or ""
        if file and text.strip():
            self.add_error("text", "Give either the file or its text, not both.")
        elif file:
            cleaned["committed"] = self._read(file)
        elif not text.strip():
            self.add_error("file", "Choose your file, or paste its text.")
        elif len(text) > MOST_BYTES:
            self.add_error("text", "This is more than 2 MiB.")
        else:
            cleaned["committed"] = text
        return cleaned

    def _read(self, file: "UploadedFile[bytes]") -> str:
        if (file.size or 0) > MOST_BYTES:
            self.add_error("file", "This file is larger than 2 MiB.")
            return ""
        try:
            return decoded(file.read())
        except UnicodeDecodeError:
            self.add_error("file", "This is no text file in UTF-8 or UTF-16.")
            return ""


def decoded(data: bytes) -> str:
    """The text of a file, with or without a byte-order mark; redirected output on Windows comes in UTF-16."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8-sig")
