"""What a bucket's name leads to: refused by the service, trouble in other places, or worth a word."""

import re

# Segments of the service's own paths: a bucket of that name makes addresses that read as something else.
WORDS = frozenset(
    {
        "authenticated", "bucket", "cdn", "copy", "empty", "health", "info", "list", "list-v2", "move", "object", "public",
        "render", "resumable", "s3", "sign", "status", "storage", "upload", "v1", "version",
    }
)  # fmt: skip
S3_SHORTEST, S3_LONGEST = 3, 63
_OTHER = re.compile(r"[^A-Za-z0-9._-]")


def trouble(name: str) -> str:
    """Why a name that the service accepts needs a second thought, as a sentence; empty where it doesn't."""
    if name.lower() not in WORDS:
        return ""
    return (
        f"“{name}” is also a word in the paths of the storage interface. The bucket works here, "
        "but other programs and proxies are known to take its addresses for something else. It can't be renamed later."
    )


def notes(name: str) -> list[str]:
    """What else to know of a good name, as sentences: where other rules differ from this service's."""
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
        said.append(f"This service takes it. Programs that speak S3 have narrower rules and may refuse {_listed(stumbles)}.")
    if name != name.lower():
        said.append(f"Case counts: “{name}” and “{name.lower()}” are two buckets.")
    if "." in name.strip(".") and ".." not in name:
        said.append("With a dot in it some programs take the name for a file or a host.")
    if other := _OTHER.search(name):
        sign = "A space" if other.group() == " " else f"“{other.group()}”"
        said.append(f"{sign} is easily lost when addresses are copied; letters, digits and “-” are not.")
    return said


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
