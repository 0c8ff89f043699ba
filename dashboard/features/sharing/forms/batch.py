"""What the sign desk asks for: objects, unless they were chosen elsewhere, and an end."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from dashboard.catalog.keys import folder
from dashboard.catalog.query import Filter
from dashboard.catalog.selection import Selection
from dashboard.features.sharing.rules.pasted_keys import read_keys
from dashboard.web.expiry import EXACT, EndForm

MOST_KEYS = 100_000
LONGEST_KEY = 1024


class DeskForm(EndForm):
    """Cleaned, it has `selection` and `ends_at`; `seconds` is None for an exact end."""

    keys = forms.CharField(
        label="Keys, one a line",
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 6, "spellcheck": "false", "class": "input input--mono"}),
        help_text="The whole path in the bucket. A line that ends in a slash is a folder with all that is in it. "
        "Of a table with a head, the first column counts.",
    )
    list = forms.FileField(
        label="Or a file with such a list", required=False, help_text="Text, or CSV with the keys in its first column."
    )
    folder = forms.CharField(label="Or all of a folder", required=False, max_length=LONGEST_KEY)
    search = forms.CharField(label="Or all that a search finds", required=False, max_length=1000)
    field_order: Sequence[str] = ("keys", "list", "folder", "search", "life", "end", "zone")

    def __init__(self, *args: Any, chosen: Selection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._chosen = chosen
        self.fields["life"].label = "The links work for"
        self.fields["end"].label = "They end at"
        if not chosen.is_empty:
            for name in ("keys", "list", "folder", "search"):
                del self.fields[name]

    @property
    def seconds(self) -> int | None:
        return None if self.cleaned_data["life"] == EXACT else int(self.cleaned_data["life"])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        data["selection"] = self._chosen if not self._chosen.is_empty else self._typed(data)
        return data

    def _typed(self, data: dict[str, Any]) -> Selection:
        place = (self._chosen.space, self._chosen.bucket)
        if searched := data.get("search", ""):
            if problems := Filter.parse(searched).problems:
                self.add_error("search", ValidationError(list(problems)))
            elif data.get("keys", "").strip() or data.get("list") or data.get("folder"):
                self.add_error("search", "Either a search, or keys and folders.")
            return Selection(*place, filter=searched)
        lines = read_keys(data.get("keys", "")) + (_of_file(data["list"]) if data.get("list") else [])
        folders = tuple(
            dict.fromkeys(filter(None, [folder(data.get("folder", "")), *(folder(one) for one in lines if one[-1] == "/")]))
        )
        keys = tuple(dict.fromkeys(key for key in lines if key[-1] != "/" and not key.startswith(folders)))
        if not keys and not folders and not self.errors:
            self.add_error("keys", "Name at least one object: a key, a folder or a search.")
        if len(keys) > MOST_KEYS:
            self.add_error(
                "keys", f"{len(keys):,} keys are too many for one set: at most {MOST_KEYS:,}. Name their folder instead."
            )
        if long := next((key for key in keys if len(key) > LONGEST_KEY), ""):
            self.add_error("keys", f"No key is longer than {LONGEST_KEY:,} characters: “{long[:60]}…”")
        return Selection(*place, keys=keys, folders=folders)


def _of_file(given: "UploadedFile[bytes]") -> list[str]:
    name = (given.name or "").casefold()
    text = given.read().decode("utf-8-sig", errors="replace")
    return read_keys(text, table=name.endswith((".csv", ".tsv")))
