"""The search text and its fields. Filling in the fields writes the text."""

from collections.abc import Mapping

from django import forms

from dashboard.catalog.queries import SORTS
from dashboard.catalog.query import Filter, quoted
from dashboard.features.search.records import Query
from dashboard.web.http.requests import read_number
from dashboard.web.input.forms import Form
from dashboard.web.pages.sort_order import read_sort
from dashboard.web.text import UNITS

FURTHEST = 10_000_000


def read_query(data: Mapping[str, str]) -> Query:
    """Read a search from an address. Invalid values are ignored."""
    return Query(
        q=data.get("q", "").strip(),
        sort=read_sort(data, SORTS),
        offset=read_number(data.get("offset", ""), most=FURTHEST) or 0,
    )


class FieldsForm(Form):
    """The filters as fields. It validates nothing: problems are reported for the resulting text."""

    words = forms.CharField(label="Words in the path or name", required=False)
    name = forms.CharField(label="In the name", required=False)
    ext = forms.CharField(label="Extension", required=False, help_text="pdf, or several: jpg,png")
    type = forms.CharField(label="Type begins with", required=False, help_text="image/ or text/csv")
    least = forms.CharField(label="Minimum size", required=False, help_text="10mb")
    most = forms.CharField(label="Maximum size", required=False)
    older = forms.CharField(label="Changed before", required=False, help_text="90d ago (h, d, w, m, y) or 2026-01-31")
    newer = forms.CharField(label="Changed since", required=False)
    path = forms.CharField(label="In folder", required=False, help_text="photos/2026/", strip=False)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs |= {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}

    @classmethod
    def showing(cls, asked: Filter) -> "FieldsForm":
        return cls(
            initial={
                "words": " ".join(map(quoted, asked.words)),
                "name": asked.names[0] if asked.names else "",
                "ext": ",".join(asked.endings),
                "type": ",".join(asked.types),
                "least": _size(asked.least),
                "most": _size(asked.most),
                "older": asked.older,
                "newer": asked.newer,
                "path": asked.folders[0] if asked.folders else "",
            }
        )


def text_of(data: Mapping[str, str]) -> str:
    """Return the search text for the filled-in fields."""
    given = {name: data.get(name, "") for name in FieldsForm.base_fields}
    # Spaces at the ends of a folder are part of its name.
    given = {name: text if name == "path" else text.strip() for name, text in given.items()}
    terms = [given["words"]]
    terms += [f"{name}:{_value(given[name])}" for name in ("name", "ext", "type") if given[name]]
    terms += [f"size:{sign}{given[name].replace(' ', '')}" for name, sign in (("least", ">="), ("most", "<=")) if given[name]]
    terms += [f"{name}:{given[name].replace(' ', '')}" for name in ("older", "newer") if given[name]]
    terms += [f"path:{_value(given['path'])}"] if given["path"] else []
    return " ".join(term for term in terms if term)


def _value(text: str) -> str:
    return quoted(text.replace('"', ""))


def _size(count: int | None) -> str:
    """Format bytes as people type them, without rounding: 10000000 → "10mb"."""
    if count is None:
        return ""
    unit = ""
    for larger in UNITS[:4]:
        if not count or count % 1000:
            break
        count, unit = count // 1000, larger.lower()
    return f"{count}{unit}"
