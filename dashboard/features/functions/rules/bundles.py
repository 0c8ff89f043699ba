"""What the bytes of a function are: source text to read, or a bundle to download."""

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

MEBIBYTE = 1 << 20
# What the service is known to take: sources it bundles itself, bundles made elsewhere. Older services took half as much.
LARGEST_SOURCE, DOUBTFUL_SOURCE = 5 * MEBIBYTE, 4_000_000
LARGEST_BUNDLE, DOUBTFUL_BUNDLE = 20 * MEBIBYTE, 10_000_000

_MARKS = re.compile(rb"ESZIP_V2|ESZIP2\.\d|EZBR")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")

Kind = Literal["source", "bundle", "unknown"]


@dataclass(frozen=True, eq=False, repr=False)
class Content:
    """The bytes of a body."""

    data: bytes

    @cached_property
    def mark(self) -> str:
        """How a bundle begins; empty where it is none."""
        found = _MARKS.match(self.data)
        return found.group().decode() if found else ""

    @cached_property
    def text(self) -> str | None:
        """The source text; None for a bundle and for bytes that no page can show."""
        if self.mark:
            return None
        try:
            text = self.data.decode()
        except UnicodeDecodeError:
            return None
        return None if _CONTROLS.search(text) else text

    @property
    def kind(self) -> Kind:
        if self.mark:
            return "bundle"
        return "unknown" if self.text is None else "source"

    @property
    def words(self) -> str:
        """ "source text", "bundle (ESZIP2.3)"…"""
        return {"source": "source text", "bundle": f"bundle ({self.mark})", "unknown": "bytes of an unknown kind"}[self.kind]

    @property
    def size(self) -> int:
        return len(self.data)

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex digits."""
        return sha256(self.data).hexdigest()

    def filename(self, slug: str) -> str:
        return f"{slug}.ts" if self.kind == "source" else f"{slug}.eszip"

    @property
    def problem(self) -> str:
        """Why the service would refuse it for its size, as a sentence; empty where it would not."""
        most = LARGEST_SOURCE if self.kind == "source" else LARGEST_BUNDLE
        if self.size <= most:
            return ""
        what = "A source text" if self.kind == "source" else "A bundle"
        return f"{what} has at most {most // MEBIBYTE} MiB; this one has {self.size / MEBIBYTE:.1f} MiB."

    @property
    def doubt(self) -> str:
        """Why some services refuse it for its size all the same."""
        if self.kind == "source" and self.size > DOUBTFUL_SOURCE:
            return "Beyond about 4 MB the service is known to fail at bundling a source text, without a word of why."
        if self.kind != "source" and self.size > DOUBTFUL_BUNDLE:
            return "Older services take bundles of at most 10 MB."
        return ""

    def __repr__(self) -> str:
        return f"Content({self.size} bytes)"
