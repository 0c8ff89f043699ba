"""What a secret may be called, and what it had better be called."""

import re

from dashboard.interfaces.management.secrets import RESERVED_PREFIX

NAME_LIMIT = 256
VALUE_LIMIT = 24_576
ABOUT_MOST = 100

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_reserved(name: str) -> bool:
    """Entries of the platform itself: they may be listed, and can be neither written nor deleted."""
    return name.startswith(RESERVED_PREFIX)


def name_problem(name: str) -> str | None:
    """Why the service would refuse the name (M6), as a sentence; None where it would not."""
    if is_reserved(name):
        return f"Names that start with {RESERVED_PREFIX} belong to the platform. Choose another name."
    if len(name) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(name)}."
    return None


def name_advice(name: str) -> str | None:
    """What may surprise later about a name that the service accepts, as a sentence."""
    if not name:
        return None
    if name.upper().startswith(RESERVED_PREFIX):
        return f"Only {RESERVED_PREFIX} in capitals is reserved. This name is allowed, and easily taken for one of them."
    if not VARIABLE.fullmatch(name):
        return (
            "Functions read secrets as environment variables. Letters, digits and underscores, not starting with a digit, "
            "work everywhere; this name may not."
        )
    return None


def value_problem(value: str) -> str | None:
    """Why the service would refuse the value (M6), as a sentence; None where it would not."""
    if len(value) > VALUE_LIMIT:
        return f"A value has at most {VALUE_LIMIT:,} characters; this one has {len(value):,}."
    return None


def value_ends(value: str) -> str | None:
    """What stands at the ends of a value and was perhaps not meant, as a sentence; None where nothing does."""
    if value != value.strip():
        return "The value starts or ends with spaces or line breaks. Functions would read them too."
    if unquoted(value) != value:
        return "The value stands in quotes. Functions would read them too."
    return None


def unquoted(value: str) -> str:
    """The value without white space at its ends and without one pair of quotes around it."""
    bare = value.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'`":
        return bare[1:-1]
    return bare
