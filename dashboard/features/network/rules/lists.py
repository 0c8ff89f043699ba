"""Compare lists of ranges, summarise them, and test whether they allow an address."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Self

from dashboard.facts.addresses import Address, Network, contains
from dashboard.interfaces.management.network import RestrictionConfig
from dashboard.web.text import counted

EVERYBODY_V4 = "0.0.0.0/0"
EVERYBODY_V6 = "::/0"


@dataclass(frozen=True, slots=True)
class RangeList:
    """The lists of a project. `v6` is None if the service has no list for IPv6."""

    v4: tuple[str, ...]
    v6: tuple[str, ...] | None

    @classmethod
    def of_config(cls, config: RestrictionConfig) -> Self:
        return cls.of(config.allowed, config.allowed_v6)

    @classmethod
    def of(cls, v4: Iterable[str], v6: Iterable[str] | None) -> Self:
        return cls(
            v4=tuple(dict.fromkeys(map(canonical_range, v4))),
            v6=None if v6 is None else tuple(dict.fromkeys(map(canonical_range, v6))),
        )

    @classmethod
    def parse(cls, line: str) -> Self:
        """Parse what `line` returns."""
        v4, bar, v6 = line.partition("|")
        return cls.of(v4.split(), v6.split() if bar else None)

    @property
    def line(self) -> str:
        """The list in one line, with a bar before the IPv6 part, if there is one."""
        return " ".join(self.v4 if self.v6 is None else (*self.v4, "|", *self.v6))

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.v4, *(self.v6 or ()))

    @property
    def has_v6(self) -> bool:
        return self.v6 is not None

    @property
    def is_empty(self) -> bool:
        return not self.all

    @property
    def is_open(self) -> bool:
        return EVERYBODY_V4 in self.v4 and (self.v6 is None or EVERYBODY_V6 in self.v6)

    @property
    def fingerprint(self) -> str:
        """A digest that is equal for equal lists, whatever their order."""
        plain = [sorted(self.v4), None if self.v6 is None else sorted(self.v6)]
        return sha256(json.dumps(plain).encode()).hexdigest()[:24]

    @property
    def summary(self) -> str:
        """A sentence that says who may reach the database."""
        if self.is_empty:
            return "Nobody may reach the database."
        if self.is_open:
            return "Everybody may reach the database."
        if not self.v6:
            alone = _counted_v4(self.v4, "range")
            return f"{_upper(alone)} may reach the database{'; nobody over IPv6' if self.has_v6 else ''}."
        if not self.v4:
            return f"{_upper(_counted_v6(self.v6))} may reach the database; nobody over IPv4."
        return f"{_upper(_counted_v4(self.v4, 'IPv4 range'))} and {_counted_v6(self.v6)} may reach the database."

    def as_sent(self) -> dict[str, list[str]]:
        """Return the body of M25, which the journal also stores."""
        return {"dbAllowedCidrs": list(self.v4)} | ({} if self.v6 is None else {"dbAllowedCidrsV6": list(self.v6)})


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes from one list to another, in the order of the newer one."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def is_none(self) -> bool:
        return not self.added and not self.removed


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a list allows an address; None if unknown. `by` is the range that allows it."""

    allowed: bool | None
    by: str = ""

    @property
    def word(self) -> str:
        return {True: "allowed", False: "not allowed", None: "unknown"}[self.allowed]

    @property
    def tone(self) -> str:
        return {True: "good", False: "danger", None: "neutral"}[self.allowed]


def difference(before: RangeList, after: RangeList) -> Difference:
    old, new = set(before.all), set(after.all)
    return Difference(
        added=tuple(one for one in after.all if one not in old),
        removed=tuple(one for one in before.all if one not in new),
        unchanged=tuple(one for one in after.all if one in old),
    )


def admission(listed: RangeList | None, address: Address | None) -> Admission:
    """Test an address. Unknown without a list, and for IPv6 if the service has no list for it.

    Without an address known only where it makes no difference.
    """
    if listed is None:
        return Admission(None)
    if address is None:
        return Admission(allowed=True, by=EVERYBODY_V4) if listed.is_open else Admission(False if listed.is_empty else None)
    if address.version == 6 and listed.v6 is None:
        return Admission(None)
    admitting = [network for network in networks(listed.all) if contains(network, address)]
    if not admitting:
        return Admission(allowed=False)
    return Admission(allowed=True, by=str(max(admitting, key=lambda network: network.prefixlen)))


def networks(ranges: Sequence[str]) -> list[Network]:
    """Return the ranges that can be parsed. A service may return newer kinds."""
    found = []
    for text in ranges:
        try:
            found.append(ip_network(text, strict=False))
        except ValueError:
            continue
    return found


def canonical_range(text: str) -> str:
    """Return a range in its canonical form, and any other text as it is."""
    try:
        return str(ip_network(text.strip(), strict=False))
    except ValueError:
        return text.strip()


def _counted_v4(ranges: Sequence[str], word: str) -> str:
    if EVERYBODY_V4 in ranges:
        return "everybody over IPv4"
    whole = collapse_addresses([one for one in networks(ranges) if isinstance(one, IPv4Network)])
    addresses = sum(network.num_addresses for network in whole)
    return f"{counted(len(ranges), word)} ({counted(addresses, 'address', 'addresses')})"


def _counted_v6(ranges: Sequence[str]) -> str:
    """Count the ranges, and their addresses if these are few: a /64 has more than anybody can read."""
    if EVERYBODY_V6 in ranges:
        return "everybody over IPv6"
    whole = collapse_addresses([one for one in networks(ranges) if isinstance(one, IPv6Network)])
    addresses = sum(network.num_addresses for network in whole)
    count = f" ({counted(addresses, 'address', 'addresses')})" if addresses < 1_000_000 else ""
    return f"{counted(len(ranges), 'IPv6 range')}{count}"


def _upper(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
