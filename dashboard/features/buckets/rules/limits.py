"""Sizes and types that a bucket admits: from what people type, and in words."""

import re
from decimal import Decimal

UNITS = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}
TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/(?:\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)(?:;\s*charset=[A-Za-z0-9._-]+)?")
EVERYTHING = ("*/*", "*")


def in_words(size: int) -> str:
    """A size that names the bytes exactly: 5 MiB, 5 MB or 5,000,123 bytes."""
    unit, number = split(size)
    if unit == "B":
        return f"{number} byte" if number == "1" else f"{size:,} bytes"
    return f"{number} {unit}"


def split(size: int) -> tuple[str, str]:
    """The unit and number that say the size in the fewest digits, without losing a byte."""
    forms = [(unit, Decimal(size) / factor) for unit, factor in UNITS.items() if size >= factor or unit == "B"]
    short = [(unit, f"{number.normalize():f}") for unit, number in forms if number == number.quantize(Decimal("0.01"))]
    return min(short, key=lambda form: len(form[1]))


def type_problem(entry: str) -> str | None:
    """Why an allowed type would be refused, or would shut the bucket; None where it is fine."""
    if entry in EVERYTHING:
        return (
            f"{entry} looks like “everything”, but the service compares it with the type of each upload literally, "
            "and so refuses them all. Leave the field empty to allow every type."
        )
    if not TYPE.fullmatch(entry):
        return f"“{entry}” is not a type. Write it like image/png, or image/* for every image."
    if entry != entry.lower():
        return f"The service compares types letter by letter. Write {entry.lower()}."
    return None
