"""The query of the types page, and the form to compare a committed file."""

import codecs
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from dashboard.web.input.forms import NOT_FOR_MANAGERS, Form

FILE_MAX_BYTES = 2_000_000
DEFAULT = ("public",)
SCHEMAS_MAX = 50
SCHEMA_MAX_CHARACTERS = 63


@dataclass(frozen=True, slots=True)
class Query:
    """The page's query. `schemas` is empty until types are generated. `wait`: wait for them. `again`: ignore cached ones."""

    schemas: tuple[str, ...] = ()
    wait: bool = False
    again: bool = False

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        return cls(
            schemas=(names(query.get("schemas", "")) or DEFAULT) if "schemas" in query else (),
            wait="wait" in query,
            again="again" in query,
        )

    @property
    def written(self) -> str:
        """The schemas, separated by commas."""
        return ",".join(self.schemas)

    def query(self, **more: object) -> str:
        """Return the query with these members added."""
        found = {"schemas": self.written, **more}
        return urlencode({name: value for name, value in found.items() if value})


def names(text: str) -> tuple[str, ...]:
    """Return the names of schemas in a text, separated by commas or line breaks."""
    found = (name.strip()[:SCHEMA_MAX_CHARACTERS] for name in text.replace("\n", ",").split(","))
    return tuple(dict.fromkeys(name for name in found if name.isprintable() and name))[:SCHEMAS_MAX]


class CheckForm(Form):
    """A file or its text, and the schemas to compare with."""

    file = forms.FileField(
        label="File of types", required=False, help_text="Such as database.types.ts, up to 2 MB. It is not stored."
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
        help_text="Comma-separated, as in your file. Defaults to public.",
    )

    def clean_schemas(self) -> tuple[str, ...]:
        return names(self.cleaned_data["schemas"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        file: UploadedFile[bytes] | None = cleaned.get("file")
        text: str = cleaned.get("text") or ""
        if file and text.strip():
            self.add_error("text", "Use either a file or text, not both.")
        elif file:
            cleaned["committed"] = self._read(file)
        elif not text.strip():
            self.add_error("file", "Choose a file or paste its text.")
        elif len(text) > FILE_MAX_BYTES:
            self.add_error("text", "The text is larger than 2 MB.")
        else:
            cleaned["committed"] = text
        return cleaned

    def _read(self, file: "UploadedFile[bytes]") -> str:
        if (file.size or 0) > FILE_MAX_BYTES:
            self.add_error("file", "This file is larger than 2 MB.")
            return ""
        try:
            return decoded(file.read())
        except UnicodeDecodeError:
            self.add_error("file", "This is not a text file in UTF-8 or UTF-16.")
            return ""


def decoded(data: bytes) -> str:
    """Return a file's text, with or without byte-order mark. Redirected output on Windows is UTF-16."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8-sig")
