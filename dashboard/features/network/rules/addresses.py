"""Single addresses: as somebody pastes them, and whether one can be known from outside."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MOST_PASTED = 1000
SEPARATORS = re.compile(r"[\s,;|]+")
WRAPPING = "\"'`[](){}<>"

# What the service refuses in a list: no client reaches the database from there.
PRIVATE: tuple[Network, ...] = tuple(ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
# What else no client on the internet has.
NOWHERE: tuple[Network, ...] = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"),
        *("::/128", "::1/128", "fe80::/10", "ff00::/8"),
    )
)


@dataclass(frozen=True, slots=True)
class Pasted:
    """Addresses out of a pasted text, canonical and each once, and a sentence for every line that holds something else."""

    addresses: tuple[str, ...]
    problems: tuple[str, ...]


def pasted(text: str) -> Pasted:
    """Read addresses of both families with any separators; what follows a # is passed over."""
    found: dict[str, None] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        for word in SEPARATORS.split(line.split("#", 1)[0]):
            bare = word.strip(WRAPPING)
            if not bare:
                continue
            address = read_address(bare)
            if address is None:
                problems.append(f"Line {number}: {_why_no_address(bare)}")
            else:
                found[str(address)] = None
    if len(found) > MOST_PASTED:
        problems.append(f"These are {len(found):,} addresses; at most {MOST_PASTED:,} go at once.")
    return Pasted(addresses=tuple(found), problems=tuple(problems))


def read_address(text: str) -> Address | None:
    """The address, an IPv4 one also where it is written inside an IPv6 one; None for everything else."""
    bare = text.strip()
    if "%" in bare:
        return None
    try:
        address = ip_address(bare.removesuffix("/32") if "." in bare else bare.removesuffix("/128"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def known_address(text: str) -> Address | None:
    """The address that the internet sees; None for a private or loopback one, behind which it can be any."""
    address = read_address(text)
    if address is None or any(holds(network, address) for network in (*PRIVATE, *NOWHERE)):
        return None
    return address


def holds(network: Network, address: Address) -> bool:
    return network.version == address.version and address in network


def canonical(text: str) -> str:
    """An address as it compares; what is none stays as it came."""
    address = read_address(text)
    return text.strip() if address is None else str(address)


def order(text: str) -> tuple[int, int, str]:
    """IPv4 before IPv6, by number; what is no address comes last."""
    address = read_address(text)
    return (9, 0, text) if address is None else (address.version, int(address), "")


def _why_no_address(word: str) -> str:
    if "/" in word:
        return f"“{word}” is a range. Bans are lifted address by address."
    if "%" in word:
        return f"“{word}” has a zone, which means something on one machine only."
    return f"“{word}” is no address."
