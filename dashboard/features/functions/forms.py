"""What a person may type about a function."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.html import format_html

from dashboard.features.functions.models import NOTE_MAX_LENGTH
from dashboard.features.functions.rules import BUNDLE_MAX_BYTES, SOURCE_MAX_BYTES, Content, Flags, slug_problem
from dashboard.features.functions.services.functions import SORTS
from dashboard.web.input.forms import NOT_FOR_MANAGERS, STALE, Form, FreshForm, Switch
from dashboard.web.pages.sort_order import BY_NAME, Sort, read_sort
from dashboard.web.text import bytes_text, search_text

PASTE_MAX_CHARACTERS = 500_000

VERIFY_HELP = "On: calls need a valid JWT of this project. Off: anyone with the address can call the function."
OUTDATED = (
    "Not reviewed yet: the function changed since you opened its source. Check the change below, then review to replace it."
)
MAP_HELP = "For bundles made with an import map. It has no effect on source text."


@dataclass(frozen=True, slots=True)
class Filter:
    """Search, protection filter and order of the list, from its query. Unknown values are ignored."""

    search: str = ""
    unprotected: bool = False
    sort: Sort = BY_NAME

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        return cls(
            search=search_text(query.get("q", "")).strip(),
            unprotected=query.get("show") == "unprotected",
            sort=read_sort(query, SORTS),
        )

    @property
    def is_narrow(self) -> bool:
        return bool(self.search) or self.unprotected


class FlagsForm(Form):
    """Flags that every deployment and every change sends."""

    name = forms.CharField(
        max_length=1000,
        required=False,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="Display name. Defaults to the slug.",
    )
    verify_jwt = forms.BooleanField(required=False, label="Require a JWT", widget=Switch, help_text=VERIFY_HELP)
    import_map = forms.BooleanField(required=False, label="Import map", widget=Switch, help_text=MAP_HELP)

    def flags(self, *, slug: str, known: Flags | None) -> Flags:
        """As chosen. An import map that the service never reported is sent only if it is switched on."""
        chosen: bool = self.cleaned_data["import_map"]
        paths = self.paths(known)
        is_unreported = known is not None and known.import_map is None and not chosen
        return Flags(
            name=self.cleaned_data["name"] or slug,
            verify_jwt=self.cleaned_data["verify_jwt"],
            import_map=None if is_unreported else chosen,
            entrypoint_path=paths[0],
            import_map_path=paths[1],
        )

    def paths(self, known: Flags | None) -> tuple[str, str]:
        """The entry point and import map file inside the bundle, which stay as they are."""
        return (known.entrypoint_path, known.import_map_path) if known else ("", "")


class DeployForm(FlagsForm):
    """A body, pasted or as a file, and the flags."""

    slug = forms.CharField(
        max_length=1000,
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        error_messages={"required": "Enter a slug."},
    )
    text = forms.CharField(  # type: ignore[call-arg] # the types lack template_name
        required=False,
        strip=False,
        label="Source text",
        max_length=PASTE_MAX_CHARACTERS,
        widget=forms.Textarea({**NOT_FOR_MANAGERS, "rows": 22, "wrap": "off"}),
        template_name="functions/_editor.html",
        help_text=f"At most {PASTE_MAX_CHARACTERS:,} characters; upload longer text as a file.",
        error_messages={"max_length": f"At most {PASTE_MAX_CHARACTERS:,} characters fit here. Upload it as a file instead."},
    )
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="Or a file",
        help_text=(
            f"Source text of at most {bytes_text(SOURCE_MAX_BYTES)} or a bundle (eszip) of at most "
            f"{bytes_text(BUNDLE_MAX_BYTES)}. The format is detected automatically."
        ),
    )
    entrypoint_path = forms.CharField(
        required=False,
        max_length=1000,
        label="Entry point",
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Path inside the bundle, such as index.ts. For bundles only.",
    )
    import_map_path = forms.CharField(
        required=False,
        max_length=1000,
        label="Import map file",
        widget=forms.TextInput(NOT_FOR_MANAGERS),
        help_text="Path inside the bundle. For bundles only.",
    )
    base = forms.CharField(required=False, widget=forms.HiddenInput({"data-keep": ""}))
    field_order = ("slug", "name", "text", "file", "verify_jwt", "import_map", "entrypoint_path", "import_map_path")

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        files: Any = None,
        *,
        slug: str = "",
        start: Flags | None = None,
        text: str = "",
        base: str = "",
        advice_url: str,
    ) -> None:
        """`slug` and `base` (its revision) are those of an existing function; `start` and `text` are what editing begins with.

        `advice_url` checks a slug while it is typed.
        """
        initial = {**asdict(start), "import_map": bool(start.import_map)} if start else {}
        shown = text if len(text) <= PASTE_MAX_CHARACTERS else ""
        super().__init__(data, files, initial={"verify_jwt": True, "slug": slug, **initial, "text": shown, "base": base})
        self.source, self.revision = text, base
        if base:
            del self.fields["slug"]
            return
        field = self.fields["slug"]
        field.help_text = format_html(
            '{} <span class="advice" id="slug-advice" role="status"></span>',
            "Part of the address; can't be changed later. English letters, digits, - and _, starting with a letter.",
        )
        field.widget.attrs |= {
            "hx-get": advice_url,
            "hx-trigger": "input changed delay:400ms",
            "hx-target": "#slug-advice",
            "hx-swap": "outerHTML",
        }

    @cached_property
    def is_outdated(self) -> bool:
        """Whether the function changed since its source was opened. Asked once: the form then goes on from the present one."""
        return bool(self.revision) and self.data.get("base", self.revision) != self.revision

    def paths(self, known: Flags | None) -> tuple[str, str]:  # noqa: ARG002 - a new body brings its own
        """As typed; none for source text."""
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
        if self.is_outdated:
            self.data = {**{name: str(value) for name, value in self.data.items()}, "base": self.revision}
            raise forms.ValidationError(OUTDATED, code=STALE)
        if "text" in self.errors or "file" in self.errors:
            return cleaned
        text, file = str(cleaned.get("text") or "").replace("\r\n", "\n"), cleaned.get("file")
        is_typed = bool(text.strip()) and text != self.source.replace("\r\n", "\n")
        if is_typed and file:
            self.add_error("file", "Use either source text or a file, not both.")
        elif file:
            cleaned["content"] = self._from_file(file)
        elif text.strip():
            # A browser sends every line end alike.
            ends = "\r\n" if "\r\n" in self.source else "\n"
            cleaned["content"] = self._sized(Content(text.replace("\n", ends).encode()), "text")
        else:
            self.add_error("text", "Paste source text or choose a file.")
        return cleaned

    def _from_file(self, file: "UploadedFile[bytes]") -> Content | None:
        if (file.size or 0) > BUNDLE_MAX_BYTES:
            self.add_error("file", f"A file can have at most {bytes_text(BUNDLE_MAX_BYTES)}.")
            return None
        content = Content(file.read())
        if not content.size:
            self.add_error("file", "This file is empty.")
        elif content.kind == "unknown" and not self.data.get("anyway"):
            self.fields["anyway"] = forms.BooleanField(label="Deploy it as a bundle anyway")
            self.add_error(
                "anyway",
                "This is neither text nor a known bundle: it doesn't start with ESZIP_V2, ESZIP2.n or EZBR. "
                "To deploy it anyway, choose it again and tick this box.",
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
    """Settings of a function, with a confirmation if it is about to become public."""

    shown = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Mapping[str, Any] | None, *, live: Flags, revision: str) -> None:
        """`revision` is the present one; a form made for another one is refused once."""
        initial = {"name": live.name, "verify_jwt": live.verify_jwt, "import_map": bool(live.import_map), "shown": revision}
        super().__init__(data, initial=initial)
        self.live = live
        self.revision = revision
        if live.import_map is None:
            self.fields["import_map"].help_text = f"{MAP_HELP} The service doesn't report it here; off leaves it unchanged."

    @property
    def opens(self) -> bool:
        """Whether these settings make a protected function public."""
        return self.live.verify_jwt and not self.cleaned_data.get("verify_jwt")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("shown") != self.revision:
            fresh = {**{name: str(value) for name, value in self.data.items()}, "shown": self.revision}
            self.data = fresh
            raise forms.ValidationError(
                "Nothing was changed: the function changed since you opened this form. "
                f"Now “Require a JWT” is {'on' if self.live.verify_jwt else 'off'}, “Import map” is "
                f"{'on' if self.live.import_map else 'off'} and the name is “{self.live.name}”. Save again to overwrite.",
                code=STALE,
            )
        if self.opens:
            doubt = "Without JWT verification anyone with the address can call this function. Tick to continue."
            self.require_tick("open", "Make it public", doubt)
            self.order_fields(["name", "verify_jwt", "open"])
        return cleaned


class ReviewForm(Form):
    """Confirms a deployment; `shown` is the revision that its review was compared with."""

    shown = forms.CharField(widget=forms.HiddenInput)
    note = forms.CharField(
        required=False,
        max_length=400,
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="Kept with this version and in Activity.",
    )


class NoteForm(FreshForm):
    """What the team should know about a function."""

    note = forms.CharField(
        required=False,
        max_length=NOTE_MAX_LENGTH,
        widget=forms.Textarea({"rows": 4}),
        help_text="Your whole team sees it. It isn't sent to the service. Leave empty to remove.",
    )

    def __init__(self, data: QueryDict | None, *, current: str) -> None:
        self.current = current
        super().__init__(data, shown=current, initial={"note": current})

    def now(self) -> str:
        return "This note changed after you opened it. " + (f"It is now “{self.current}”." if self.current else "It was removed.")


class CompareForm(forms.Form):
    """Two kept versions, by primary key."""

    old = forms.IntegerField(min_value=1)
    new = forms.IntegerField(min_value=1)
