"""Read IP addresses, and tell public from private ones."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# The service refuses these in a list: no client reaches the database from there.
PRIVATE: tuple[Network, ...] = tuple(ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
# Clients on the internet have none of these either.
NON_ROUTABLE: tuple[Network, ...] = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"),
        *("::/128", "::1/128", "fe80::/10", "ff00::/8"),
    )
)


def read_address(text: str) -> Address | None:
    """Return the address, also if it is IPv4 mapped into IPv6; None for any other text."""
    bare = text.strip()
    if "%" in bare:
        return None
    try:
        address = ip_address(bare.removesuffix("/32") if "." in bare else bare.removesuffix("/128"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def public_address(text: str) -> Address | None:
    """Return the address if it is public; None for a private or loopback one, which the internet doesn't see."""
    address = read_address(text)
    if address is None or any(contains(network, address) for network in (*PRIVATE, *NON_ROUTABLE)):
        return None
    return address


@dataclass(frozen=True, slots=True)
class Origin:
    """A person's address. `public` is None if unknown; `is_stated`: the person stated it."""

    address: str
    public: Address | None
    is_stated: bool = False


def origin_of(seen: str, stated: str | None) -> Origin:
    """Return a person's address: the one seen if it is public, else the one they stated."""
    public = public_address(seen)
    if public is None and stated:
        return Origin(stated, read_address(stated), is_stated=True)
    return Origin(str(public or seen), public)


def contains(network: Network, address: Address) -> bool:
    return network.version == address.version and address in network


def canonical(text: str) -> str:
    """Return an address in its canonical form, and any other text as it is."""
    address = read_address(text)
    return text.strip() if address is None else str(address)
