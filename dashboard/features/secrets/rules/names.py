"""Check the names and values of secrets before the service does."""

import re
from collections.abc import Iterable
from unicodedata import category

from dashboard.interfaces.management.secrets import RESERVED_PREFIX

NAME_LIMIT = 256
VALUE_LIMIT = 24_576
# The service says "about 100 secrets".
SECRETS_LIMIT = 100

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Other .env parsers take these for the start of a comment.
COMMENT_SIGNS = (";", "//")
# Some programs also end a line at these.
LINE_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
# Letters, marks and a symbol that fonts render as nothing or as a gap.
BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"


def is_reserved(name: str) -> bool:
    """Whether it belongs to the platform: listed, but never written or deleted."""
    return name.startswith(RESERVED_PREFIX)


def name_problem(name: str) -> str | None:
    """Return why the name can't be saved (M6), or None."""
    if problem := _encoding_problem("The name", name):
        return problem
    if is_reserved(name):
        return f"Names that start with {RESERVED_PREFIX} are reserved for the platform. Choose another name."
    if len(name) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(name)}."
    return None


def name_advice(name: str) -> str | None:
    """Return a warning about a name that the service accepts, or None."""
    if not name or name_problem(name):
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
    """Return why the value can't be saved (M6), or None."""
    if problem := _encoding_problem("The value", value):
        return problem
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


def invisible_advice(name: str, value: str) -> str | None:
    """Return a warning about characters that can't be seen in a name or a value, or None."""
    for what, text in (("name", name), ("value", value)):
        if ends := _codes(character for character in text if character in LINE_ENDS):
            return f"The {what} contains {ends}, which ends no line in a .env file. What follows it is part of the {what}."
        if unseen := _codes(character for character in text if _is_invisible(character)):
            return f"The {what} contains invisible characters ({unseen}), which are saved too."
    return None


def _is_invisible(character: str) -> bool:
    """Whether it is invisible, or looks like a plain space but isn't one."""
    return character in BLANKS or category(character) == "Cf" or (category(character) == "Zs" and character != " ")


def _codes(characters: Iterable[str]) -> str:
    return ", ".join(f"U+{ord(character):04X}" for character in dict.fromkeys(characters))


def unquoted(value: str) -> str:
    """Strip white space and one pair of quotes."""
    bare = value.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'`":
        return bare[1:-1]
    return bare


def _encoding_problem(what: str, text: str) -> str | None:
    """Find characters that neither a service nor a database can store."""
    if "\0" in text:
        return f"{what} contains a NUL character, which environment variables can't."
    if any("\ud800" <= character <= "\udfff" for character in text):
        return f"{what} contains half a character (a lone surrogate), which can't be sent."
    return None
