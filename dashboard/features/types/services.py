"""TypeScript types of a database (M8): generate, cache, compare with a file."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.core.cache import cache
from django.utils import timezone

from dashboard.tokens.workspace import Workspace

KEPT_FOR_SECONDS = 10 * 60
KEPT_MAX_CHARACTERS = 4_000_000
SHOWN_MAX_CHARACTERS = 600_000


@dataclass(frozen=True, slots=True)
class Generated:
    """The text from the service, its schemas, and when it was generated."""

    text: str
    schemas: tuple[str, ...]
    made_at: datetime

    @property
    def bytes(self) -> int:
        return len(self.text.encode())

    @property
    def lines(self) -> int:
        return self.text.count("\n") + (not self.text.endswith("\n"))

    @property
    def is_too_large_to_show(self) -> bool:
        return len(self.text) > SHOWN_MAX_CHARACTERS

    @property
    def missing(self) -> tuple[str, ...]:
        """Requested schemas that are not in the text: the service ignores unknown ones."""
        return tuple(
            name for name in self.schemas if not re.search(rf"""^\s+["']?{re.escape(name)}["']?: \{{""", self.text, re.MULTILINE)
        )


def remembered(workspace: Workspace, ref: str, schemas: Sequence[str]) -> Generated | None:
    """Return types generated with the same token within the last ten minutes; None if there are none."""
    kept = cache.get(_key(workspace, ref, schemas))
    if kept is None:
        return None
    return Generated(zlib.decompress(kept["text"]).decode(), tuple(schemas), kept["at"])


def generate(workspace: Workspace, ref: str, schemas: Sequence[str]) -> str:
    """Generate the types of these schemas (M8), which may take a minute. Safe in pool threads."""
    return workspace.management.types.generate(ref, schemas)


def remember(workspace: Workspace, ref: str, schemas: Sequence[str], text: str) -> Generated:
    """Cache a text for ten minutes, for downloads."""
    made = Generated(text, tuple(schemas), timezone.now())
    if len(text) <= KEPT_MAX_CHARACTERS:
        cache.set(_key(workspace, ref, schemas), {"text": zlib.compress(text.encode()), "at": made.made_at}, KEPT_FOR_SECONDS)
    return made


def trimmed(text: str) -> str:
    """Return a text without differences in line ends, trailing spaces and outer blank lines."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def is_current(committed: str, present: str) -> bool:
    """Whether a committed file differs from the current types only in quotes and separators."""
    return _plain(committed) == _plain(present)


def _plain(text: str) -> list[str]:
    return [line.rstrip(";,").replace("'", '"') for line in text.splitlines()]


def _key(workspace: Workspace, ref: str, schemas: Sequence[str]) -> str:
    """Return the cache key. It contains the fingerprint, so that no token sees what another one read."""
    text = "\0".join((workspace.fingerprint("management", ref), ref, *schemas))
    return f"types:{sha256(text.encode()).hexdigest()}"
