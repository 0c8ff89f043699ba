"""Check the names and values of secrets before the service does."""

import re
from collections.abc import Sequence

from dashboard.interfaces.management.secrets import RESERVED_PREFIX

NAME_LIMIT = 256
VALUE_LIMIT = 24_576
# The service says "about 100 secrets".
SECRETS_LIMIT = 100

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Other .env parsers read these as the start of a comment.
COMMENT_SIGNS = (";", "//")
_PLAIN_KEY = re.compile(r"(?!['{\[\ufeff])[^=#\s\0]+")
_QUOTED_KEY = re.compile(r"[^'\n\r\0]+")


def is_reserved(name: str) -> bool:
    """Whether it belongs to the platform: listed, but neither written nor deleted."""
    return name.startswith(RESERVED_PREFIX)


def name_problem(name: str) -> str | None:
    """Return why the service would refuse the name (M6), or None."""
    if is_reserved(name):
        return f"Names that start with {RESERVED_PREFIX} are reserved for the platform. Choose another name."
    if len(name) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(name)}."
    return None


def name_advice(name: str) -> str | None:
    """Return a warning about a name that the service accepts, or None."""
    if not name:
        return None
    if name.upper().startswith(RESERVED_PREFIX):
        return f"Only {RESERVED_PREFIX} in capitals is reserved. This name is allowed, but easily mistaken for a reserved one."
    if sign := next((sign for sign in COMMENT_SIGNS if name.startswith(sign)), ""):
        return f"Other .env parsers read a line that starts with {sign} as a comment. Here it is part of the name."
    if not VARIABLE.fullmatch(name):
        return (
            "This name may not work as an environment variable. Letters, digits and underscores, not starting with a digit, "
            "work everywhere."
        )
    return None


def value_problem(value: str) -> str | None:
    """Return why the service would refuse the value (M6), or None."""
    if len(value) > VALUE_LIMIT:
        return f"A value has at most {VALUE_LIMIT:,} characters; this one has {len(value):,}."
    return None


def value_advice(value: str) -> str | None:
    """Return a warning about spaces or quotes around a value, or None."""
    if value != value.strip():
        return "The value starts or ends with spaces or line breaks, which are saved too."
    if unquoted(value) != value:
        return "The value is in quotes, which are saved too."
    return None


def unquoted(value: str) -> str:
    """Strip white space and one pair of quotes."""
    bare = value.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'`":
        return bare[1:-1]
    return bare


def template_of(names: Sequence[str], ref: str) -> str:
    """Write the names as lines of a `.env` file without values."""
    head = f"# Names of the secrets of project {ref}, without their values.\n\n"
    return head + "".join(
        f"{key}=\n" if (key := _key(name)) else "# One name can't be written in a .env file.\n" for name in names
    )


def _key(name: str) -> str:
    """Return the name as a `.env` file spells it; empty where it can't."""
    if _PLAIN_KEY.fullmatch(name):
        return name
    return f"'{name}'" if _QUOTED_KEY.fullmatch(name) else ""
