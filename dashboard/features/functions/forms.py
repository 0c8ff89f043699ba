"""What a person may type about a function."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.html import format_html

from dashboard.features.functions.rules.bundles import LARGEST_BUNDLE, LARGEST_SOURCE, MEBIBYTE, Content
from dashboard.features.functions.rules.labels import Flags
from dashboard.features.functions.rules.slugs import slug_problem
from dashboard.web.forms import NOT_FOR_MANAGERS, Form, Switch

LONGEST_PASTE = 500_000

VERIFY_HELP = (
    "On: only a call with a valid JWT of this project reaches the function. Off: anybody who knows its address can call it, "
    "and the function has to check for itself."
)
MAP_HELP = "Says that the bundle was made with an import map. It changes nothing in a source text."


class FlagsForm(Form):
    """What every deployment and every change sends along."""

    name = forms.CharField(
        max_length=1000,
        required=False,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="Only shown; calls go by the slug. Empty: the slug.",
    )
    verify_jwt = forms.BooleanField(required=False, label="Check the JWT of every call", widget=Switch, help_text=VERIFY_HELP)
    import_map = forms.BooleanField(required=False, label="Import map", widget=Switch, help_text=MAP_HELP)

    def flags(self, *, slug: str, known: Flags | None) -> Flags:
        """As chosen. An import map that the service never reported and nobody switched on stays unreported."""
        chosen: bool = self.cleaned_data["import_map"]
        paths = self.paths(known)
        untold = known is not None and known.import_map is None and not chosen
        return Flags(
            name=self.cleaned_data["name"] or slug,
            verify_jwt=self.cleaned_data["verify_jwt"],
            import_map=None if untold else chosen,
            entrypoint_path=paths[0],
            import_map_path=paths[1],
        )

    def paths(self, known: Flags | None) -> tuple[str, str]:
        """Entry point and import map file inside the bundle: as they are."""
        return (known.entrypoint_path, known.import_map_path) if known else ("", "")


class DeployForm(FlagsForm):
    """A body, typed or as a file, and the flags. Where `slug` is given, the function is that one."""

    slug = forms.CharField(
        max_length=1000,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        error_messages={"required": "Give the function a slug: it becomes part of its address."},
    )
    text = forms.CharField(
        required=False,
        strip=False,
        label="Source text",
        max_length=LONGEST_PASTE,
        widget=forms.Textarea({**NOT_FOR_MANAGERS, "rows": 14, "wrap": "off"}),
        help_text=f"One file, at most {LONGEST_PASTE:,} characters here; a longer one as a file.",
        error_messages={"max_length": f"At most {LONGEST_PASTE:,} characters fit in here. Choose it as a file instead."},
    )
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="Or a file",
        help_text=(
            f"A source text, at most {LARGEST_SOURCE // MEBIBYTE} MiB, or a bundle (eszip), at most "
            f"{LARGEST_BUNDLE // MEBIBYTE} MiB. They are told apart by their first bytes."
        ),
    )
    entrypoint_path = forms.CharField(
        required=False,
        max_length=1000,
        label="Entry point",
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Path of the main file inside the bundle, such as index.ts. Sent with bundles only.",
    )
    import_map_path = forms.CharField(
        required=False,
        max_length=1000,
        label="Import map file",
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Path of the import map inside the bundle. Sent with bundles only.",
    )
    field_order = ("slug", "name", "text", "file", "verify_jwt", "import_map", "entrypoint_path", "import_map_path")

    def __init__(
        self, data: Mapping[str, Any] | None, files: Any = None, *, slug: str = "", live: Flags | None = None, advice_url: str
    ) -> None:
        """`slug` and `live` are given for a function that is there; `advice_url` says what to think of a slug being typed."""
        initial = {**asdict(live), "import_map": bool(live.import_map)} if live else {}
        super().__init__(data, files, initial={"verify_jwt": True, "slug": slug, **initial})
        if slug:
            del self.fields["slug"]
            return
        field = self.fields["slug"]
        field.help_text = format_html(
            '{} <span class="advice" id="slug-advice" role="status"></span>',
            "Starts with an English letter; letters, digits, - and _. It is part of the address and can't be changed later.",
        )
        field.widget.attrs |= {
            "hx-get": advice_url,
            "hx-trigger": "input changed delay:400ms",
            "hx-target": "#slug-advice",
            "hx-swap": "outerHTML",
        }

    def paths(self, known: Flags | None) -> tuple[str, str]:  # noqa: ARG002 - a new body brings its own
        """As typed; none for a source text."""
        if self.cleaned_data["content"].kind == "source":
            return "", ""
        return self.cleaned_data["entrypoint_path"], self.cleaned_data["import_map_path"]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if problem := slug_problem(slug):
            raise forms.ValidationError(problem)
        return slug

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "text" in self.errors or "file" in self.errors:
            return cleaned
        text, file = str(cleaned.get("text") or ""), cleaned.get("file")
        if text.strip() and file:
            self.add_error("file", "There is a source text and a file. Empty one of the two.")
        elif file:
            cleaned["content"] = self._from_file(file)
        elif text.strip():
            cleaned["content"] = self._sized(Content(text.replace("\r\n", "\n").encode()), "text")
        else:
            self.add_error("text", "Type or paste the source text, or choose a file.")
        return cleaned

    def _from_file(self, file: "UploadedFile[bytes]") -> Content | None:
        if (file.size or 0) > LARGEST_BUNDLE:
            self.add_error("file", f"A body has at most {LARGEST_BUNDLE // MEBIBYTE} MiB; this file has more.")
            return None
        content = Content(file.read())
        if not content.size:
            self.add_error("file", "This file is empty.")
        elif content.kind == "unknown" and not self.data.get("anyway"):
            self.fields["anyway"] = forms.BooleanField(label="Send it as a bundle all the same")
            self.add_error(
                "anyway",
                "This file is neither a text nor a bundle that is known here: it begins with none of ESZIP_V2, ESZIP2.n and "
                "EZBR. Choose it again and tick this to send it.",
            )
            self.order_fields(["slug", "name", "text", "file", "anyway"])
        else:
            return self._sized(content, "file")
        return None

    def _sized(self, content: Content, field: str) -> Content:
        if content.problem:
            self.add_error(field, content.problem)
        return content


class SettingsForm(FlagsForm):
    """The settings of a function. A question joins them only when calls are about to go unchecked."""

    shown = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Mapping[str, Any] | None, *, live: Flags, marker: str) -> None:
        """`marker` names the version that is there now; a form that was made for another one is told so once."""
        initial = {"name": live.name, "verify_jwt": live.verify_jwt, "import_map": bool(live.import_map), "shown": marker}
        super().__init__(data, initial=initial)
        self.live = live
        self.marker = marker
        if live.import_map is None:
            self.fields[
                "import_map"
            ].help_text = f"{MAP_HELP} The service does not tell it for this function; off leaves it untouched."

    @property
    def opens(self) -> bool:
        """Whether calls are checked now, and were asked to go unchecked."""
        return self.live.verify_jwt and not self.cleaned_data.get("verify_jwt")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("shown") != self.marker:
            fresh = {**{name: str(value) for name, value in self.data.items()}, "shown": self.marker}
            self.data = fresh
            raise forms.ValidationError(
                f"The function was changed since you opened this. Now verify_jwt is {'on' if self.live.verify_jwt else 'off'}, "
                f"import_map is {'on' if self.live.import_map else 'off'} and the name is “{self.live.name}”. "
                "Nothing was sent. Save again to send what is chosen here."
            )
        if self.opens and not self.data.get("open"):
            self.fields["open"] = forms.BooleanField(label="Let anybody call it")
            self.add_error(
                "open", "Without the check anybody who knows the address can call this function. Tick the box to go on."
            )
            self.order_fields(["name", "verify_jwt", "open"])
        return cleaned


class PlanForm(Form):
    """The yes to a planned deployment."""

    shown = forms.CharField(widget=forms.HiddenInput)
    note = forms.CharField(
        required=False,
        max_length=400,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="Why. It is kept with the version here and in the journal; the service never sees it.",
    )


class CompareForm(forms.Form):
    """Two kept versions, by their numbers here."""

    old = forms.IntegerField(min_value=1)
    new = forms.IntegerField(min_value=1)
