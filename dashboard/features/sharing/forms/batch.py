"""The objects and the expiry of signed links, with the keys read from pasted text or a file."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from dashboard.catalog.keys import folder
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.links.forms import OpensForm
from dashboard.web.files.spreadsheet import FORMULA
from dashboard.web.text import SEARCH_CHARACTERS

HEADS = frozenset({"key", "keys", "path", "name", "object", "file"})


MOST_KEYS = 100_000
LONGEST_KEY = 1024


class BatchForm(OpensForm):
    """Cleaned, it has `selection` and `ends_at`; `seconds` is None for an exact expiry.

    Without `signs` no signed links can be handed out, and it asks for the objects alone.
    """

    keys = forms.CharField(
        label="Keys, one per line",
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 6, "spellcheck": "false", "class": "input input--mono"}),
        help_text="Full paths; spaces count. A line ending in a slash is a whole folder. In a CSV, only the first column counts.",
    )
    list = forms.FileField(label="Or a file of keys", required=False, help_text="Text, or CSV with keys in the first column.")
    folder = forms.CharField(label="Or a folder", required=False, strip=False, max_length=LONGEST_KEY)
    search = forms.CharField(label="Or a search", required=False, max_length=SEARCH_CHARACTERS)
    field_order: Sequence[str] = ("keys", "list", "folder", "search", "life", "end", "zone", "opens", "name")

    def __init__(self, *args: Any, chosen: Selection, signs: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._chosen = chosen
        self.fields["life"].label = "Signed links expire after"
        self.fields["end"].label = "Signed links expire at"
        if not signs:
            for name in ("life", "end", "zone", "opens", "name"):
                del self.fields[name]
        if not chosen.is_empty:
            for name in ("keys", "list", "folder", "search"):
                del self.fields[name]

    @property
    def seconds(self) -> int | None:
        life: str = self.cleaned_data.get("life", "")
        return int(life) if life.isdecimal() else None

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        data["selection"] = self._chosen if not self._chosen.is_empty else self._typed(data)
        return data

    def _typed(self, data: dict[str, Any]) -> Selection:
        place = (self._chosen.space, self._chosen.bucket)
        if searched := data.get("search", ""):
            if problems := Filter.parse(searched).problems:
                self.add_error("search", ValidationError(list(problems)))
            elif read_keys(data.get("keys", "")) or data.get("list") or data.get("folder"):
                self.add_error("search", "Enter a search, or keys and folders, not both.")
            return Selection(*place, filter=searched)
        lines = read_keys(data.get("keys", "")) + (_of_file(data["list"]) if data.get("list") else [])
        folders = tuple(
            dict.fromkeys(filter(None, [folder(data.get("folder", "")), *(folder(one) for one in lines if one[-1] == "/")]))
        )
        keys = tuple(dict.fromkeys(key for key in lines if key[-1] != "/" and not key.startswith(folders)))
        if not keys and not folders and not self.errors:
            self.add_error("keys", "Enter at least one key, a folder or a search.")
        if len(keys) > MOST_KEYS:
            self.add_error("keys", f"{len(keys):,} keys; at most {MOST_KEYS:,} at once. Enter their folder instead.")
        if long := next((key for key in keys if len(key) > LONGEST_KEY), ""):
            self.add_error("keys", f"A key has at most {LONGEST_KEY:,} characters: “{long[:60]}…”")
        return Selection(*place, keys=keys, folders=folders)


def _of_file(given: "UploadedFile[bytes]") -> list[str]:
    name = (given.name or "").casefold()
    text = given.read().decode("utf-8-sig", errors="replace")
    return read_keys(text, table=name.endswith((".csv", ".tsv")))


def read_keys(text: str, *, table: bool = False) -> list[str]:
    """Return the keys with their spaces and without repeats. `table`: the text is CSV.

    Otherwise a text is read as a table if its first line has several columns, the first with a heading such as "key".
    Tabs always separate columns; a comma without a heading is part of a key.
    """
    lines = text.lstrip("\ufeff").splitlines()
    head = [cell.strip().casefold() for cell in (lines[0] if lines else "").replace("\t", ",").split(",")]
    is_table = table or (head[0].strip('"') in HEADS and len(head) > 1)
    found = _first_column(lines) if is_table else (line.partition("\t")[0] for line in lines)
    return list(dict.fromkeys(filter(None, found)))


def _first_column(lines: list[str]) -> Iterator[str]:
    delimiter = "\t" if lines and "\t" in lines[0] else ";" if lines and ";" in lines[0] and "," not in lines[0] else ","
    for number, row in enumerate(csv.reader(lines, delimiter=delimiter)):
        key = row[0] if row else ""
        if number == 0 and key.strip().casefold() in HEADS:
            continue
        # Our own CSV files escape formulas with an apostrophe.
        yield key[1:] if key[:1] == "'" and key[1:].startswith(FORMULA) else key
