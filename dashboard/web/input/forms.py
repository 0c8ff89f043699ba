"""The form renderer, the base forms, and fields for secrets and file names."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Self

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.forms import BaseForm
from django.forms.renderers import TemplatesSetting
from django.forms.widgets import CheckboxInput, PasswordInput, Textarea
from django.http import HttpRequest, QueryDict

from dashboard.web.http.requests import BadBody, read_json
from dashboard.web.input import typed_secrets
from dashboard.web.text import search_text

# The code of a `ValidationError`: what the form was filled from has changed since. Services raise it, too.
STALE = "stale"
STALE_STATUS = 409


def status_of(refused: BaseForm | ValidationError | None) -> int:
    """Return the status of a page that shows a form: 422 if it is refused, 409 if that is because it is `STALE`, else 200."""
    if refused is None or (isinstance(refused, BaseForm) and not refused.is_bound):
        return 200
    found = refused.errors.as_data() if isinstance(refused, BaseForm) else refused.update_error_dict({})
    return STALE_STATUS if any(error.code == STALE for errors in found.values() for error in errors) else 422


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the posted fields, even if all of them are empty, unlike `request.POST or None`.

    Fills in empty secrets that were kept when the form was refused before.
    """
    return typed_secrets.completed(request) if request.method == "POST" else None


class Renderer(TemplatesSetting):
    """Render forms with the templates in templates/forms/."""

    form_template_name = "forms/fields.html"
    field_template_name = "forms/field.html"


# By the codes of Django's validators.
LIMITS = {"min_value": "Enter %(limit_value)s or more.", "max_value": "Enter %(limit_value)s or less."}


class Form(forms.Form):
    """The base of our forms: labels without a colon, errors of numeric limits in plain words."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # passed on as they came
        for field in self.fields.values():
            field.error_messages = {**LIMITS, **field.error_messages}

    def ask_about(self, doubts: Sequence[str], label: str, *, lost: Sequence[str] = ()) -> None:
        """Require a checkbox that confirms these doubts, ticked for the loss of exactly these things."""
        if doubts:
            confirmed = sha256("\n".join(sorted(lost)).encode()).hexdigest()[:16] if lost else "on"
            self.require_tick("anyway", label, " ".join(doubts), of=confirmed)

    def require_tick(self, name: str, label: str, doubt: str, *, of: str = "on") -> None:
        """Require a checkbox that confirms a doubt, ticked for exactly this. Once ticked it stays, whatever else is refused."""
        is_ticked = self.data.get(name) == of
        box = CheckboxInput({"value": of}, check_test=lambda _: is_ticked)
        self.fields[name] = forms.BooleanField(label=label, widget=box)
        if not is_ticked:
            self.add_error(name, doubt)


class FreshForm(Form):
    """A form for data that others may change while it is open. If they did, saving reports it and asks once more.

    `shown` is the data that the form shows; subclasses describe its current state in `now`.
    """

    seen = forms.CharField(required=False, widget=forms.HiddenInput({"data-keep": ""}))

    def __init__(self, *args: object, shown: object, initial: Mapping[str, object] | None = None, **kwargs: object) -> None:
        self._shown = sha256(repr(shown).encode()).hexdigest()[:16]
        super().__init__(*args, initial={**(initial or {}), "seen": self._shown}, **kwargs)

    def now(self) -> str:
        """Describe, in sentences, that the data changed and what it is now."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("seen") and cleaned["seen"] != self._shown:
            data = self.data.copy() if isinstance(self.data, QueryDict) else {**self.data}
            data["seen"] = self._shown
            self.data = data
            self.add_error(None, ValidationError(f"{self.now()} Save again to replace that.", code=STALE))
        return cleaned


class FilterForm(Form):
    """A GET form, made by `read`. Ignores values that are not offered."""

    @classmethod
    def read(cls, data: Mapping[str, str], *args: object, **options: object) -> Self:
        """Return the form with its valid values. Other arguments go to `__init__`."""
        form = cls({name: search_text(value) for name, value in data.items()}, *args, **options)
        if not form.is_valid():
            form = cls(form.cleaned_data, *args, **options)
            form.is_valid()
        return form

    @property
    def kept(self) -> dict[str, str]:
        """The filters that are set."""
        return {name: value for name, value in self.cleaned_data.items() if value}


class JsonField(forms.Field):
    """A JSON object that a script of ours fills in. Django's field fails on deep nesting and on long numbers."""

    widget = forms.HiddenInput

    def to_python(self, value: str | None) -> dict[str, Any] | None:
        try:
            return read_json(value, dict[str, Any]) if value else None
        except (BadBody, ValueError):
            raise ValidationError(self.error_messages["invalid"]) from None


class OfferedInput(forms.TextInput):
    """A line with suggested values; others can be typed."""

    template_name = "forms/offered.html"

    def __init__(self, offers: Sequence[str]) -> None:
        super().__init__({"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"})
        self.offers = offers

    def get_context(self, name: str, value: object, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return super().get_context(name, value, {**(attrs or {}), "list": f"{name}-offers"}) | {"offers": self.offers}


class Switch(CheckboxInput):
    """A checkbox drawn as a switch, for settings that apply immediately."""

    def __init__(self, attrs: dict[str, str] | None = None) -> None:
        super().__init__({"role": "switch", "class": "switch", **(attrs or {})})


NOT_FOR_MANAGERS = {
    "autocomplete": "off",
    "autocapitalize": "off",
    "autocorrect": "off",
    "spellcheck": "false",
    "data-1p-ignore": "",
    "data-lpignore": "true",
    "data-bwignore": "",
    "class": "input input--mono",
}


class SecretInput(PasswordInput):
    """One line that is never sent back to the browser."""

    def __init__(self) -> None:
        super().__init__({**NOT_FOR_MANAGERS, "data-secret": ""}, render_value=False)


class SecretArea(Textarea):
    """Several lines that are never sent back to the browser, masked by the style sheet."""

    def __init__(self, rows: int = 4) -> None:
        super().__init__({**NOT_FOR_MANAGERS, "class": "input input--mono input--masked", "data-secret": "", "rows": rows})

    def format_value(self, value: object) -> None:  # noqa: ARG002 - never shown, whatever it is
        return None


class SecretField(forms.CharField):
    """A write-only secret, trimmed unless `strip=False`; several `lines` make a text area."""

    def __init__(self, *, lines: int = 1, strip: bool = True, **options: object) -> None:
        options.setdefault("widget", SecretInput() if lines == 1 else SecretArea(lines))
        super().__init__(strip=strip, **options)  # type: ignore[arg-type] # Django's own options of a field


_FILE_NAME = RegexValidator(re.compile(r"\A[^/\\\x00-\x1f\x7f]+\Z"), "A file name has no slashes and is on one line.")


class FileNameField(forms.CharField):
    """The name that a file is saved under."""

    def __init__(self, **options: object) -> None:
        widget = forms.TextInput({"autocomplete": "off", "spellcheck": "false", "data-file-name": ""})
        super().__init__(required=False, max_length=200, validators=[_FILE_NAME], widget=widget, **options)  # type: ignore[arg-type] # as above


def is_long(widget: forms.Widget) -> bool:
    """Whether losing the typed text would hurt: several lines, or a secret."""
    return isinstance(widget, (Textarea, SecretInput))
