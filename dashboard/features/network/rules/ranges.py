"""A list of ranges as people write it: one a line, comments after #, each line checked, written again as it is sent."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network, summarize_address_range

from dashboard.features.network.rules.addresses import NOWHERE, PRIVATE, SEPARATORS, WRAPPING, Address, Network, read_address

MOST_LINES = 2000
MAPPED = IPv6Network("::ffff:0:0/96")


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be said about a range: `tone` is "danger" (it can't be sent), "attention" or "neutral"."""

    tone: str
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One range on its line; `network` is None where it can't be read."""

    line: int
    written: str
    comment: str
    network: Network | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was read. `text` is what it becomes: ranges in their short form, comments and empty lines kept."""

    entries: tuple[Entry, ...]
    text: str
    v4: tuple[str, ...]
    v6: tuple[str, ...]
    comments: dict[str, str] = field(default_factory=dict)
    too_long: bool = False

    @property
    def findings(self) -> list[tuple[Entry, Finding]]:
        """By line; on one line what hinders comes first."""
        found = [(entry, finding) for entry in self.entries for finding in entry.findings]
        return sorted(found, key=lambda pair: (pair[0].line, pair[1].tone != "danger"))

    @property
    def problems(self) -> list[tuple[Entry, Finding]]:
        return [(entry, finding) for entry, finding in self.findings if finding.tone == "danger"]

    @property
    def can_be_sent(self) -> bool:
        return not self.too_long and not self.problems


def read(text: str, *, has_v6: bool) -> Draft:
    """Read a list. `has_v6`: whether the service shows a list for IPv6; without one such ranges can't be sent."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    entries: list[Entry] = []
    written: list[str] = []
    first: dict[Network, int] = {}
    for number, line in enumerate(lines[:MOST_LINES], 1):
        ranges, sign, comment = line.partition("#")
        words = [word for raw in SEPARATORS.split(ranges) if (word := raw.strip(WRAPPING))]
        if not words:
            written.append(line.strip())
        for word in words:
            entry = _entry(number, word, comment.strip(), has_v6=has_v6)
            if entry.network in first:
                entry = _with(entry, "neutral", f"Line {first[entry.network]} says the same; it is sent once.")
            elif entry.network is None:
                written.append(line.strip())
            else:
                first[entry.network] = number
                written.append(f"{entry.network}  # {entry.comment}" if sign and entry.comment else str(entry.network))
            entries.append(entry)
    return Draft(
        entries=tuple(_related(entries, first)),
        text="\n".join(written).strip("\n"),
        v4=tuple(str(network) for network in first if network.version == 4),
        v6=tuple(str(network) for network in first if network.version == 6),
        comments={str(entry.network): entry.comment for entry in entries if entry.network and entry.comment},
        too_long=len(lines) > MOST_LINES,
    )


def _entry(number: int, word: str, comment: str, *, has_v6: bool) -> Entry:
    network, problem = _network(word)
    entry = Entry(line=number, written=word, comment=comment, network=network)
    problem = problem if network is None else _hindrance(network, has_v6=has_v6)
    if network is None or problem:
        return _with(entry, "danger", problem)
    if _inside(network, NOWHERE):
        entry = _with(entry, "attention", "No client on the internet has such an address.")
    if network.prefixlen == 0:
        entry = _with(entry, "attention", f"This is everybody: it holds every IPv{network.version} address.")
    if "/" not in word:
        entry = _with(entry, "neutral", f"A single address is sent as {network}.")
    elif ip_interface(word).ip != network.network_address:
        entry = _with(entry, "neutral", f"Shortened: it is sent as {network}, as the rest lies inside that range.")
    return entry


def _hindrance(network: Network, *, has_v6: bool) -> str:
    """Why a range can't be sent; empty where it can."""
    if network.version == 6 and not has_v6:
        return "This project's service shows no list for IPv6: only IPv4 ranges can be sent."
    if isinstance(network, IPv6Network) and network.subnet_of(MAPPED):
        return "This is an IPv4 range inside an IPv6 one: write it as IPv4."
    private = _inside(network, PRIVATE)
    return f"Private addresses are not supported: {private} never reaches the database from outside." if private else ""


def _network(word: str) -> tuple[Network | None, str]:
    """The range, or why it is none."""
    if "%" in word:
        return None, f"“{word}” has a zone, which means something on one machine only."
    try:
        return ip_network(word, strict=False), ""
    except ValueError:
        return None, _why_no_range(word)


def _why_no_range(word: str) -> str:
    address, slash, length = word.partition("/")
    start, dash, end = word.partition("-")
    if dash and (spanned := _spanned(read_address(start), read_address(end))):
        return f"Write “{word}” as {spanned}."
    if slash and (found := read_address(address)):
        most = 32 if found.version == 4 else 128
        return f"“/{length}” is no length of an IPv{found.version} range: it goes from /0 to /{most}."
    if re.fullmatch(r"[\d.]+", address):
        zeros = re.search(r"(?:^|\.)0\d", address)
        return f"“{word}” has leading zeros." if zeros else f"“{word}” is no address: IPv4 has four numbers from 0 to 255."
    return f"“{word}” is neither an address nor a range. A comment begins with #."


def _spanned(first: Address | None, last: Address | None) -> str:
    """The ranges from one address to another, where they are few."""
    if first is None or last is None or first.version != last.version or int(first) > int(last):
        return ""
    found: list[Network] = []
    parts: Iterator[Network] = summarize_address_range(first, last)
    for network in parts:
        found.append(network)
        if len(found) > 6:
            return "ranges, such as 203.0.113.0/24"
    return ", ".join(str(network) for network in found)


def _related(entries: list[Entry], first: dict[Network, int]) -> Iterator[Entry]:
    """The entries again, with what they have to do with one another."""
    lengths = {version: sorted({one.prefixlen for one in first if one.version == version}) for version in (4, 6)}
    for entry in entries:
        network = entry.network
        if network is None or first[network] != entry.line or any(one.tone == "danger" for one in entry.findings):
            yield entry
            continue
        wider = (network.supernet(new_prefix=length) for length in lengths[network.version] if length < network.prefixlen)
        outer = next((one for one in wider if one in first), None)
        if outer is not None:
            yield _with(entry, "attention", f"It adds nobody: {outer} on line {first[outer]} holds it.")
        elif (twin := _twin(network)) in first and first[twin] <= entry.line and twin != network:
            whole = network.supernet()
            yield _with(entry, "neutral", f"Together with {twin} on line {first[twin]} it is {whole}: one range would do.")
        else:
            yield entry


def _twin(network: Network) -> Network:
    """The other half of the next wider range."""
    if network.prefixlen == 0:
        return network
    halves: list[Network] = list(network.supernet().subnets())
    return halves[1] if halves[0] == network else halves[0]


def _inside(network: Network, others: tuple[Network, ...]) -> Network | None:
    return next((other for other in others if within(network, other)), None)


def within(inner: Network, outer: Network) -> bool:
    """Is the whole of one in the other?"""
    if isinstance(inner, IPv4Network) and isinstance(outer, IPv4Network):
        return inner.subnet_of(outer)
    return isinstance(inner, IPv6Network) and isinstance(outer, IPv6Network) and inner.subnet_of(outer)


def _with(entry: Entry, tone: str, text: str) -> Entry:
    return replace(entry, findings=(*entry.findings, Finding(tone, text)))
