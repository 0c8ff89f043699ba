"""Check bucket names, and size and type limits, and put them into words."""

import re
from decimal import Decimal

UNITS = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
}
TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/(?:\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)(?:;\s*charset=[A-Za-z0-9._-]+)?")
EVERYTHING = ("*/*", "*")


def split(size: int) -> tuple[str, str]:
    """Return the largest unit of which there is one at least, and the exact number of it: ("MB", "52.4288")."""
    unit = next((unit for unit in reversed(UNITS) if size >= UNITS[unit]), "B")
    return unit, f"{(Decimal(size) / UNITS[unit]).normalize():f}"


def type_problem(entry: str) -> str | None:
    """Return why an allowed type is invalid or would block every upload; None if it is fine."""
    if entry in EVERYTHING:
        return (
            f"The service compares {entry} literally, so it would refuse every upload. Leave the field empty to allow every type."
        )
    if not TYPE.fullmatch(entry):
        return f"“{entry}” is not a type. Use the form image/png, or image/* for all images."
    if entry != entry.lower():
        return f"Types are case-sensitive. Use {entry.lower()}."
    return None


# Segments of the service's own paths: a bucket with such a name has ambiguous addresses.
WORDS = frozenset(
    {
        "authenticated", "bucket", "cdn", "copy", "empty", "health", "info", "list", "list-v2", "move", "object", "public",
        "render", "resumable", "s3", "sign", "status", "storage", "upload", "v1", "version",
    }
)  # fmt: skip
S3_SHORTEST, S3_LONGEST = 3, 63
_OTHER = re.compile(r"[^A-Za-z0-9._-]")


def trouble(name: str) -> str:
    """Return why a valid name may cause trouble, as a sentence, or ""."""
    if name.lower() not in WORDS:
        return ""
    return (
        f"“{name}” is also part of the storage interface's paths. The bucket works here, "
        "but other programs and proxies may misread its addresses."
    )


def notes(name: str) -> list[str]:
    """Return notes on a valid name, as sentences: where other programs have stricter rules."""
    said = []
    stumbles = [
        words
        for words, found in (
            ("upper case", name != name.lower()),
            ("“_”", "_" in name),
            ("a dot beside another dot, or at an end", ".." in name or name != name.strip(".")),
            (f"fewer than {S3_SHORTEST} characters", 0 < len(name) < S3_SHORTEST),
            (f"more than {S3_LONGEST} characters", len(name) > S3_LONGEST),
        )
        if found
    ]
    if stumbles:
        said.append(f"S3 programs may refuse {_listed(stumbles)}.")
    if name != name.lower():
        said.append(f"Case-sensitive: “{name}” and “{name.lower()}” are different buckets.")
    if "." in name.strip(".") and ".." not in name:
        said.append("Some programs read a name with a dot as a file or host name.")
    if other := _OTHER.search(name):
        sign = "A space" if other.group() == " " else f"“{other.group()}”"
        said.append(f"{sign} is easily lost when addresses are copied.")
    return said


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
