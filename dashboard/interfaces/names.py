"""The service's naming rules for buckets and objects, and suggestions for valid names."""

import re

from anyascii import anyascii

# not shown: the naming rules. These are those of today's service; the document's generation has the same alphabet.
_MARKS = "_!.*'()&$@=;:+,?-"
_BAD_IN_KEY = re.compile(r"[^A-Za-z0-9_!.*'()&$@=;:+,?\- /]")
_BAD_IN_BUCKET = re.compile(r"[^A-Za-z0-9_!.*'()&$@=;:+,?\- ]")
_LONGEST_BUCKET = 100

# `/object/sign/…` and the like are other operations, so uploads to such buckets are impossible.
_TAKEN_BUCKETS = frozenset({"sign", "list", "list-v2", "upload"})

# not shown: the file backend's limit. Other backends accept longer segments, but services don't report their backend.
LONGEST_SEGMENT = 255
_LONGEST_ENDING = 20
# The service treats keys with this ending as markers of empty folders and refuses content.
_MARKER = ".emptyFolderPlaceholder"


def key_problem(key: str) -> str | None:
    """Return why nothing can be stored under this key, or None.

    Use it for new keys only, as existing objects may break the rules.
    """
    segments = key.split("/")
    longest = max(map(len, segments))
    bad = _BAD_IN_KEY.search(key)
    problem = None
    if not key:
        problem = "The name is empty."
    elif bad:
        problem = (
            f"The name can't contain {_shown(bad.group())}. Only English letters, digits, spaces, “/” and {_MARKS} are allowed."
        )
    elif any(part in (".", "..") for part in segments):
        problem = "The name can't have “.” or “..” between its slashes."
    elif not segments[0]:
        problem = "The name can't begin with a slash."
    elif longest > LONGEST_SEGMENT:
        problem = f"A part of the name has {longest} characters; between two slashes {LONGEST_SEGMENT} are allowed."
    return problem


def upload_problem(key: str, size: int) -> str | None:
    """Return why a file of `size` bytes can't be stored under this key, or None."""
    if problem := key_problem(key):
        return problem
    if size and key.endswith(_MARKER):
        return f"A name that ends in “{_MARKER}” marks an empty folder, so only an empty file can have it."
    return None


def bucket_name_problem(name: str) -> str | None:
    """Return why a bucket can't have this name, or None."""
    bad = _BAD_IN_BUCKET.search(name)
    problem = None
    if not name:
        problem = "The name is empty."
    elif bad:
        problem = f"The name can't contain {_shown(bad.group())}. Only English letters, digits, spaces and {_MARKS} are allowed."
    elif name != name.strip():
        problem = "The name can't begin or end with a space."
    elif len(name) > _LONGEST_BUCKET:
        problem = f"The name has {len(name)} characters; {_LONGEST_BUCKET} are allowed."
    elif name in (".", ".."):
        problem = "“.” and “..” can't be names, because they would change the address."
    elif name in _TAKEN_BUCKETS:
        problem = f"“{name}” is reserved by the storage interface, so nothing could be uploaded to the bucket."
    elif name.endswith("--table-s3"):
        problem = "The service reserves names ending in “--table-s3”."
    return problem


def suggest_key(key: str) -> str:
    """Return a similar valid key (`Ubersicht.pdf` for `Übersicht.pdf`), or the key itself if valid."""
    if key_problem(key) is None:
        return key
    parts = [_suggest_part(part) for part in key.lstrip("/").split("/") if part not in (".", "..")]
    return "/".join(parts) if any(parts) else "file"


def suggest_upload(key: str, size: int) -> str:
    """Return a similar key that is valid for a file of `size` bytes."""
    key = suggest_key(key)
    return key if upload_problem(key, size) is None else f"{key.removesuffix(_MARKER)}{_MARKER[1:]}"


def _suggest_part(part: str) -> str:
    if not part:
        return part
    plain = re.sub(f"(?:{_BAD_IN_BUCKET.pattern})+", "-", re.sub(r"\s+", " ", anyascii(part))).strip()
    stem, dot, ending = plain.rpartition(".")
    if dot and stem and not stem.strip("-. "):
        plain = f"file.{ending}"
    return _shortened(plain if plain.strip("-. ") else "file")


def _shortened(part: str) -> str:
    """Shorten the stem of a segment that is too long; keep a short extension."""
    if len(part) <= LONGEST_SEGMENT:
        return part
    stem, dot, ending = part.rpartition(".")
    tail = f".{ending}" if dot and stem and len(ending) <= _LONGEST_ENDING else ""
    return part[: LONGEST_SEGMENT - len(tail)].rstrip() + tail


def _shown(character: str) -> str:
    if character.isprintable():
        return f"“{character}”"
    return f"the character U+{ord(character):04X}"
