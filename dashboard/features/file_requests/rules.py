"""What a file request accepts, where its files are stored, and what its page says if it doesn't open."""

import mimetypes
import re

from dashboard.catalog.keys import INBOX, PLACEHOLDER
from dashboard.features.file_requests.models import FileRequest
from dashboard.interfaces.names import suggest_upload
from dashboard.links.end_states import ASK, EndState
from dashboard.web.text import bytes_text

_EXTENSION = re.compile(r"\.[a-z0-9][a-z0-9._-]{0,19}")
_TYPE = re.compile(r"(image|audio|video|text|application)/(\*|[a-z0-9][a-z0-9.+-]{0,79})")
MOST_PATTERNS = 20
_WORDS = {"image/*": "images", "audio/*": "audio", "video/*": "videos", "text/*": "texts"}

FULL = EndState(410, "No more files accepted", "This link has received all the files it allows.", ASK, "inbox")
NOT_PRIVATE = EndState(410, "Link closed", "Files sent here would be public.", ASK, "globe")
BUCKET_MISSING = EndState(404, "Link no longer works", "The place for the files was deleted.", ASK, "folder-x")


def read_types(text: str) -> tuple[str, ...]:
    """Return the patterns of a list such as ".pdf, image/*". Raises `ValueError` with a sentence."""
    found = tuple(dict.fromkeys(part for part in re.split(r"[\s,;]+", text.lower()) if part))
    if wrong := next((one for one in found if not _EXTENSION.fullmatch(one) and not _TYPE.fullmatch(one)), ""):
        raise ValueError(f"“{wrong[:40]}” is no type. Write extensions such as .pdf, or types such as image/*.")
    if len(found) > MOST_PATTERNS:
        raise ValueError(f"At most {MOST_PATTERNS} types.")
    return found


def file_problem(asked: FileRequest, name: str, size: int, kind: str) -> str:
    """Return why the request refuses a file, in a sentence; "" if it accepts it."""
    if size > asked.most_bytes:
        return f"This file has {bytes_text(size)}; at most {bytes_text(asked.most_bytes)} are allowed."
    patterns = asked.types.split()
    if patterns and not any(_admits(pattern, name.lower(), kind) for pattern in patterns):
        return f"Only these types are allowed: {types_in_words(asked)}."
    return ""


def terms(asked: FileRequest) -> str:
    """Describe what the request accepts, in a sentence."""
    types = types_in_words(asked)
    return f"{types[:1].upper()}{types[1:]}, at most {bytes_text(asked.most_bytes)} per file."


def types_in_words(asked: FileRequest) -> str:
    return ", ".join(_WORDS.get(pattern, pattern) for pattern in asked.types.split()) or "any type"


def safe_name(name: str, size: int) -> str:
    """Return a valid name for the service, without folders."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    safe = suggest_upload(last or "file", size)
    # A marker of an empty folder would be hidden from people.
    return safe.lstrip(".") if safe.endswith(PLACEHOLDER) else safe


def key_of(asked: FileRequest, random: str, name: str) -> str:
    return f"{asked.folder}{INBOX}/{asked.pk}/{random}/{name}"


def _admits(pattern: str, name: str, kind: str) -> bool:
    """Whether the pattern allows the file. The browser's type counts only if the extension doesn't contradict it."""
    if pattern.startswith("."):
        return name.endswith(pattern) and name != pattern
    by_name = mimetypes.guess_type(name, strict=False)[0] or kind
    start = pattern.removesuffix("*")
    return all(each == pattern or (pattern.endswith("/*") and each.startswith(start)) for each in (kind.lower(), by_name))
