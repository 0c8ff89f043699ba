"""The service's rules for names of buckets and objects, in sentences, and names that keep to them."""

import re
import unicodedata

# not shown: the rules of names. These are the ones of today's service; the generation of the document has the same alphabet.
_MARKS = "_!.*'()&$@=;:+,?-"
_BAD_IN_KEY = re.compile(r"[^A-Za-z0-9_!.*'()&$@=;:+,?\- /]")
_BAD_IN_BUCKET = re.compile(r"[^A-Za-z0-9_!.*'()&$@=;:+,?\- ]")
_LONGEST_BUCKET = 100

# An upload to `/object/sign/…` is a request for a signed link, and so on: nothing could be put into such a bucket.
_TAKEN_BUCKETS = frozenset({"sign", "list", "list-v2", "upload"})

_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D"}
    | {"þ": "th", "Þ": "Th", "ł": "l", "Ł": "L", "\u0131": "i", "\u2013": "-", "\u2014": "-", "\u2018": "'", "\u2019": "'"}
)


def key_problem(key: str) -> str | None:
    """Return a sentence that says why no object can have this key, or None when one can."""
    if not key:
        return "The name is empty."
    bad = _BAD_IN_KEY.search(key)
    if bad:
        return f"The name can't hold {_shown(bad.group())}: only English letters, digits, spaces, “/” and {_MARKS} are allowed."
    if any(part in (".", "..") for part in key.split("/")):
        return "The name can't have “.” or “..” between its slashes."
    return None


def bucket_name_problem(name: str) -> str | None:
    """Return a sentence that says why no bucket can have this name, or None when one can."""
    bad = _BAD_IN_BUCKET.search(name)
    problem = None
    if not name:
        problem = "The name is empty."
    elif bad:
        problem = f"The name can't hold {_shown(bad.group())}: only English letters, digits, spaces and {_MARKS} are allowed."
    elif name != name.strip():
        problem = "The name can't begin or end with a space."
    elif len(name) > _LONGEST_BUCKET:
        problem = f"The name has {len(name)} characters; {_LONGEST_BUCKET} are allowed."
    elif name in (".", ".."):
        problem = "“.” and “..” can't be names: on the way they would become another address."
    elif name in _TAKEN_BUCKETS:
        problem = f"“{name}” is a word of the storage interface: nothing could be uploaded to a bucket of this name."
    elif name.endswith("--table-s3"):
        problem = "The service keeps names ending in “--table-s3” for itself."
    return problem


def suggest_key(key: str) -> str:
    """Return a key like this one that keeps to the rules (`Übersicht.pdf` gives `Ubersicht.pdf`); the same key when it does."""
    if key_problem(key) is None:
        return key
    parts = [_suggest_part(part) for part in key.split("/") if part not in (".", "..")]
    return "/".join(parts) if any(parts) else "file"


def _suggest_part(part: str) -> str:
    if not part:
        return part
    plain = unicodedata.normalize("NFKD", part.translate(_LETTERS))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    plain = re.sub(f"(?:{_BAD_IN_BUCKET.pattern})+", "-", re.sub(r"\s+", " ", plain)).strip()
    stem, dot, ending = plain.rpartition(".")
    if dot and stem and not stem.strip("-. "):
        plain = f"file.{ending}"
    return plain if plain.strip("-. ") else "file"


def _shown(character: str) -> str:
    if character.isprintable():
        return f"“{character}”"
    return f"the character U+{ord(character):04X}"
