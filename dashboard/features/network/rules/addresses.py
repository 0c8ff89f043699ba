"""Parse IP addresses as people paste them."""

import re
from dataclasses import dataclass

from dashboard.facts.addresses import read_address

MAX_PASTED = 1000
SEPARATORS = re.compile(r"[\s,;|]+")
WRAPPING = "\"'`[](){}<>"


@dataclass(frozen=True, slots=True)
class Pasted:
    """The distinct addresses in a pasted text, in canonical form, and a sentence for everything else in it."""

    addresses: tuple[str, ...]
    problems: tuple[str, ...]


def parse_pasted(text: str) -> Pasted:
    """Read IPv4 and IPv6 addresses with any separators; # starts a comment."""
    found: dict[str, None] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        for word in SEPARATORS.split(line.split("#", 1)[0]):
            bare = word.strip(WRAPPING)
            if not bare:
                continue
            address = read_address(bare)
            if address is None:
                problems.append(f"Line {number}: {_address_problem(bare)}")
            else:
                found[str(address)] = None
    if len(found) > MAX_PASTED:
        problems.append(f"There are {len(found):,} addresses; the limit is {MAX_PASTED:,} at once.")
    return Pasted(addresses=tuple(found), problems=tuple(problems))


def address_order(text: str) -> tuple[int, int, str]:
    """Sort key: IPv4, then IPv6, each by number, then anything else."""
    address = read_address(text)
    return (9, 0, text) if address is None else (address.version, int(address), "")


def _address_problem(word: str) -> str:
    if "/" in word:
        return f"“{word}” is a range. Only single addresses can be banned."
    if "%" in word:
        return f"“{word}” has a zone, which is only valid on one machine."
    return f"“{word}” isn't an address."
