"""What a function may be called in addresses."""

import re

LONGEST = 256
# A longer slug would not fit on a button.
LONG = 32
READABLE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}", re.ASCII)
_NEW = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)


class Slug:
    """A slug in one of our addresses: also those that an older service took. A first dot would be a step in a path."""

    regex = r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        if not READABLE.fullmatch(value):
            raise ValueError
        return value


def on_button(slug: str) -> str:
    """What a button calls the function."""
    return slug if len(slug) <= LONG else "this function"


def is_readable(slug: str) -> bool:
    """Whether an address of ours can carry it."""
    return READABLE.fullmatch(slug) is not None


def slug_problem(slug: str) -> str | None:
    """Why the service would refuse it for a new function (M9), as a sentence; None where it would not."""
    if not slug:
        return None
    if len(slug) > LONGEST:
        return f"A slug has at most {LONGEST} characters here; this one has {len(slug)}."
    if _NEW.fullmatch(slug):
        return None
    if not slug[0].isascii() or not slug[0].isalpha():
        return "A slug starts with an English letter: it becomes part of the function's address."
    wrong = sorted({character for character in slug if not re.fullmatch(r"[A-Za-z0-9_-]", character, re.ASCII)})
    shown = " ".join("space" if character.isspace() else character for character in wrong[:5])
    return f"A slug has English letters, digits, - and _ only, as it becomes part of the function's address. Not allowed: {shown}"
