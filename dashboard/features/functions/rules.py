"""Validate and describe slugs, bodies, flags and states of functions."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import Literal

from django.utils import timezone

from dashboard.interfaces.management.functions import Function, FunctionStatus
from dashboard.web.text import bytes_text

SLUG_MAX_CHARACTERS = 256
BUTTON_MAX_CHARACTERS = 32
READABLE_SLUG = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}", re.ASCII)
_NEW_SLUG = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)

# The service bundles source text itself and accepts bundles made elsewhere. Older services accepted half as much.
SOURCE_MAX_BYTES, SOURCE_DOUBTFUL_BYTES = 5 << 20, 4_000_000
BUNDLE_MAX_BYTES, BUNDLE_DOUBTFUL_BYTES = 20 << 20, 10_000_000
_BUNDLE_FORMATS = re.compile(rb"ESZIP_V2|ESZIP2\.\d|EZBR")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")

# Label, tone and meaning of each documented state.
STATES = {
    "ACTIVE": ("Active", "good", ""),
    "REMOVED": (
        "Removed",
        "neutral",
        "Deleted, but still listed for a while. Nobody can call it. Deploying this slug creates a new function.",
    ),
    "THROTTLED": ("Throttled", "attention", "The service limits calls to it and doesn't say by which rule or for how long."),
}
UNDOCUMENTED_STATE = "This state isn't documented; it is shown as reported."
_SERVICE_BEGAN = datetime(2020, 1, 1, tzinfo=UTC)

Kind = Literal["source", "bundle", "unknown"]
# What people call the flags; the service's names are shown beside them.
FLAG_LABELS = {
    "name": "Name",
    "verify_jwt": "Require a JWT",
    "import_map": "Import map",
    "entrypoint_path": "Entry point",
    "import_map_path": "Import map file",
}


@dataclass(frozen=True, eq=False, repr=False)
class Content:
    """The bytes of a body."""

    data: bytes

    @cached_property
    def bundle_format(self) -> str:
        """The format marker at the start of a bundle; empty for anything else."""
        found = _BUNDLE_FORMATS.match(self.data)
        return found.group().decode() if found else ""

    @cached_property
    def text(self) -> str | None:
        """The source text; None for bundles and for bytes that can't be shown as text."""
        if self.bundle_format:
            return None
        try:
            text = self.data.decode()
        except UnicodeDecodeError:
            return None
        return None if _CONTROL_CHARACTERS.search(text) else text

    @property
    def kind(self) -> Kind:
        if self.bundle_format:
            return "bundle"
        return "unknown" if self.text is None else "source"

    @property
    def description(self) -> str:
        """ "Source text", "Bundle (ESZIP2.3)" or "Unknown format"."""
        return {"source": "Source text", "bundle": f"Bundle ({self.bundle_format})", "unknown": "Unknown format"}[self.kind]

    @property
    def size(self) -> int:
        return len(self.data)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 in hex digits."""
        return sha256(self.data).hexdigest()

    def filename(self, slug: str) -> str:
        return f"{slug}.ts" if self.kind == "source" else f"{slug}.eszip"

    @property
    def problem(self) -> str:
        """The reason for which the service would refuse this size; empty if it would not."""
        most = SOURCE_MAX_BYTES if self.kind == "source" else BUNDLE_MAX_BYTES
        if self.size <= most:
            return ""
        what = "Source text" if self.kind == "source" else "A bundle"
        return f"{what} can have at most {bytes_text(most)}; this has {bytes_text(self.size)}."

    @property
    def warning(self) -> str:
        """The reason for which some services refuse this size; empty if none is known."""
        if self.kind == "source" and self.size > SOURCE_DOUBTFUL_BYTES:
            return "The service often fails to bundle source text over 4 MB, without saying why."
        if self.kind != "source" and self.size > BUNDLE_DOUBTFUL_BYTES:
            return "Older services accept bundles of at most 10 MB."
        return ""

    def __repr__(self) -> str:
        return f"Content({self.size} bytes)"


@dataclass(frozen=True, slots=True)
class Status:
    """A status: our label, its tone, the service's own value, and an explanation if the label needs one."""

    label: str
    tone: str
    raw: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that came as a number. `raw` is the number itself if it gives no plausible time, since its unit is then in doubt."""

    at: datetime | None
    raw: str

    @property
    def day(self) -> str:
        return f"{self.at:%-d %b %Y}" if self.at else ""

    @property
    def iso(self) -> str:
        return self.at.isoformat() if self.at else ""


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags sent with every deployment and every change. `import_map` is None if the service never reported it.

    The paths name files inside a bundle, and are sent with bundles only.
    """

    name: str
    verify_jwt: bool
    import_map: bool | None
    entrypoint_path: str = ""
    import_map_path: str = ""

    def journaled(self) -> dict[str, object]:
        paths = {"entrypoint_path": self.entrypoint_path, "import_map_path": self.import_map_path}
        flags = {"name": self.name, "verify_jwt": self.verify_jwt, "import_map": self.import_map}
        return flags | {name: path for name, path in paths.items() if path}


def status_of(function: Function) -> Status:
    raw = function.status.value
    label, tone, meaning = STATES.get(raw, (raw, "neutral", UNDOCUMENTED_STATE))
    return Status(label, tone, raw, meaning)


def flags_of(function: Function) -> Flags:
    """Return the flags at the service. A missing `verify_jwt` counts as on."""
    return Flags(
        name=function.name,
        verify_jwt=function.checks_jwt,
        import_map=function.import_map,
        entrypoint_path=function.entrypoint_path or "",
        import_map_path=function.import_map_path or "",
    )


def is_public(function: Function) -> bool:
    """Whether anyone with the address can call it. A removed one can't be called."""
    return not function.checks_jwt and function.status is not FunctionStatus.REMOVED


def deployed(function: Function | None) -> Function | None:
    """Return the function that a deployment would replace; None if it is only listed as removed."""
    return None if function is None or function.status is FunctionStatus.REMOVED else function


def version_of(number: float) -> str:
    return f"{number:g}" if number < 1e6 else f"{number:.0f}"


def moment_of(number: float, found: datetime | None) -> Moment:
    """Return the time `found` in a number, with the number itself if that time is not plausible."""
    is_plausible = found is not None and _SERVICE_BEGAN < found < timezone.now() + timedelta(days=1)
    return Moment(at=found, raw="" if is_plausible else f"{number:g}" if number != int(number) else f"{int(number)}")


def revision(function: Function | None) -> str:
    """Return a mark by which a form detects that the function has changed."""
    if function is None:
        return "none"
    return f"{function.id} {version_of(function.version)} {function.updated_at:.0f}"


def on_or_off(flag: bool | None) -> str:
    return "not reported" if flag is None else "on" if flag else "off"


def on_button(slug: str) -> str:
    """Return the function's name on a button, where a long slug would not fit."""
    return slug if len(slug) <= BUTTON_MAX_CHARACTERS else "this function"


def is_readable(slug: str) -> bool:
    """Whether our addresses can contain it."""
    return READABLE_SLUG.fullmatch(slug) is not None


def slug_problem(slug: str) -> str | None:
    """Return why the service would refuse it for a new function (M9); None if it would not."""
    if not slug:
        return None
    if len(slug) > SLUG_MAX_CHARACTERS:
        return f"A slug can have at most {SLUG_MAX_CHARACTERS} characters; this has {len(slug)}."
    if _NEW_SLUG.fullmatch(slug):
        return None
    if not slug[0].isascii() or not slug[0].isalpha():
        return "A slug starts with an English letter."
    wrong = sorted({character for character in slug if not re.fullmatch(r"[A-Za-z0-9_-]", character, re.ASCII)})
    shown = " ".join("space" if character.isspace() else character for character in wrong[:5])
    return f"Use English letters, digits, - and _ only. Not allowed: {shown}"
