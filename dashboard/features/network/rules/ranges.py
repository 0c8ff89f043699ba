"""Parse a list of ranges as people write it, one per line with comments after #, and check each line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network, summarize_address_range

from dashboard.facts.addresses import NON_ROUTABLE, PRIVATE, Address, Network, read_address
from dashboard.features.network.rules.addresses import SEPARATORS, WRAPPING

MAX_LINES = 2000
MAPPED = IPv6Network("::ffff:0:0/96")


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark on a range: `tone` is "danger" (it can't be sent), "attention" or "neutral"."""

    tone: str
    text: str


@dataclass(frozen=True, slots=True)
class RangeLine:
    """One range and its line. `network` is None if it can't be parsed."""

    line: int
    written: str
    comment: str
    network: Network | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A parsed text. `text` has the ranges in canonical form, with comments and empty lines kept."""

    entries: tuple[RangeLine, ...]
    text: str
    v4: tuple[str, ...]
    v6: tuple[str, ...]
    comments: dict[str, str] = field(default_factory=dict)
    too_long: bool = False

    @property
    def findings(self) -> list[tuple[RangeLine, Finding]]:
        """All findings: problems first, then by line."""
        found = [(entry, finding) for entry in self.entries for finding in entry.findings]
        return sorted(found, key=lambda pair: (pair[1].tone != "danger", pair[0].line))

    @property
    def problems(self) -> list[tuple[RangeLine, Finding]]:
        return [(entry, finding) for entry, finding in self.findings if finding.tone == "danger"]

    @property
    def can_be_sent(self) -> bool:
        return not self.too_long and not self.problems


def read(text: str, *, has_v6: bool) -> Draft:
    """Parse a list. `has_v6`: whether the service has a list for IPv6; without one IPv6 ranges can't be sent."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    entries: list[RangeLine] = []
    written: list[str] = []
    first: dict[Network, int] = {}
    for number, line in enumerate(lines[:MAX_LINES], 1):
        ranges, sign, comment = line.partition("#")
        words = [word for raw in SEPARATORS.split(ranges) if (word := raw.strip(WRAPPING))]
        if not words:
            written.append(line.strip())
        for word in words:
            entry = _entry(number, word, comment.strip(), has_v6=has_v6)
            if entry.network in first:
                entry = _with(entry, "neutral", f"Duplicate of line {first[entry.network]}; sent once.")
            elif entry.network is None:
                written.append(line.strip())
            else:
                first[entry.network] = number
                written.append(f"{entry.network}  # {entry.comment}" if sign and entry.comment else str(entry.network))
            entries.append(entry)
    return Draft(
        entries=tuple(_compared(entries, first)),
        text="\n".join(written).strip("\n"),
        v4=tuple(str(network) for network in first if network.version == 4),
        v6=tuple(str(network) for network in first if network.version == 6),
        comments={str(entry.network): entry.comment for entry in entries if entry.network and entry.comment},
        too_long=len(lines) > MAX_LINES,
    )


def _entry(number: int, word: str, comment: str, *, has_v6: bool) -> RangeLine:
    network, problem = _network(word)
    entry = RangeLine(line=number, written=word, comment=comment, network=network)
    problem = problem if network is None else _range_problem(network, has_v6=has_v6)
    if network is None or problem:
        return _with(entry, "danger", problem)
    if _container(network, NON_ROUTABLE):
        entry = _with(entry, "attention", "No client on the internet has this address.")
    if network.prefixlen == 0:
        entry = _with(entry, "attention", f"Everybody: this is every IPv{network.version} address.")
    if "/" not in word:
        entry = _with(entry, "neutral", f"Sent as {network}.")
    elif ip_interface(word).ip != network.network_address:
        entry = _with(entry, "neutral", f"Sent as {network}, which contains it.")
    return entry


def _range_problem(network: Network, *, has_v6: bool) -> str:
    """Return why a range can't be sent; empty if it can."""
    if network.version == 6 and not has_v6:
        return "The service has no IPv6 list for this project. Only IPv4 ranges can be sent."
    if isinstance(network, IPv6Network) and network.subnet_of(MAPPED):
        return "This is IPv4 inside IPv6. Write it as IPv4."
    private = _container(network, PRIVATE)
    return f"Private addresses aren't supported: {private} never reaches the database." if private else ""


def _network(word: str) -> tuple[Network | None, str]:
    """Parse a range, or return why that fails."""
    if "%" in word:
        return None, "Has a zone, which is only valid on one machine."
    try:
        return ip_network(word, strict=False), ""
    except ValueError:
        return None, _syntax_problem(word)


def _syntax_problem(word: str) -> str:
    address, slash, length = word.partition("/")
    start, dash, end = word.partition("-")
    if dash and (ranges := _ranges_between(read_address(start), read_address(end))):
        return f"Write it as {ranges}."
    if slash and (found := read_address(address)):
        most = 32 if found.version == 4 else 128
        return f"“/{length}” isn't a valid prefix: IPv{found.version} has /0 to /{most}."
    if re.fullmatch(r"[\d.]+", address):
        zeros = re.search(r"(?:^|\.)0\d", address)
        return "Has leading zeros." if zeros else "Not an address: IPv4 has four numbers from 0 to 255."
    return "Neither an address nor a range. Comments start with #."


def _ranges_between(first: Address | None, last: Address | None) -> str:
    """Name the ranges that cover two addresses and everything between them, if they are few."""
    if first is None or last is None or first.version != last.version or int(first) > int(last):
        return ""
    found: list[Network] = []
    parts: Iterator[Network] = summarize_address_range(first, last)
    for network in parts:
        found.append(network)
        if len(found) > 6:
            return "ranges, such as 203.0.113.0/24"
    return ", ".join(str(network) for network in found)


def _compared(entries: list[RangeLine], first: dict[Network, int]) -> Iterator[RangeLine]:
    """Add findings from comparing entries: redundant ranges, and halves that could be merged."""
    lengths = {version: sorted({one.prefixlen for one in first if one.version == version}) for version in (4, 6)}
    for entry in entries:
        network = entry.network
        if network is None or first[network] != entry.line or any(one.tone == "danger" for one in entry.findings):
            yield entry
            continue
        wider = (network.supernet(new_prefix=length) for length in lengths[network.version] if length < network.prefixlen)
        outer = next((one for one in wider if one in first), None)
        if outer is not None:
            yield _with(entry, "attention", f"Redundant: already covered by {outer} on line {first[outer]}.")
        elif (twin := _other_half(network)) in first and first[twin] <= entry.line and twin != network:
            whole = network.supernet()
            yield _with(entry, "neutral", f"With {twin} on line {first[twin]} this is {whole}, one range.")
        else:
            yield entry


def _other_half(network: Network) -> Network:
    """Return the other half of the next wider range."""
    if network.prefixlen == 0:
        return network
    halves: list[Network] = list(network.supernet().subnets())
    return halves[1] if halves[0] == network else halves[0]


def _container(network: Network, others: tuple[Network, ...]) -> Network | None:
    return next((other for other in others if _is_within(network, other)), None)


def _is_within(inner: Network, outer: Network) -> bool:
    if isinstance(inner, IPv4Network) and isinstance(outer, IPv4Network):
        return inner.subnet_of(outer)
    return isinstance(inner, IPv6Network) and isinstance(outer, IPv6Network) and inner.subnet_of(outer)


def _with(entry: RangeLine, tone: str, text: str) -> RangeLine:
    return replace(entry, findings=(*entry.findings, Finding(tone, text)))
