"""Facts about a project's restrictions (M24) and bans (M22), and what they say about one address."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from dashboard.facts.addresses import canonical, read_address
from dashboard.facts.registry import NETWORK, PROJECT, PROJECTS, Fact, Need, Problem, Shown
from dashboard.features.network.rules.lists import RangeList, admission
from dashboard.features.network.services.bans import labels_of, list_bans
from dashboard.features.network.services.restrictions import read_restrictions, restrictions_of
from dashboard.interfaces.management.network import NetworkBans, NetworkRestrictions
from dashboard.labels.services import labels
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

EVERYBODY = ["0.0.0.0/0"], ["::/0"]
OPEN_RANGES = frozenset((*EVERYBODY[0], *EVERYBODY[1]))
# Longer lists are only counted.
MOST_KEPT = 1000
NOT_IN_FORCE = Problem("restrictions-not-in-force", "not in force", urgent=True)
OPEN = Problem("restrictions-open", "open to all in production")
BANNED = Problem("bans-known", "with a known address banned", urgent=True)
BANS_IT = Problem("bans-it", "bans it", "ban it", urgent=True)
REFUSES_IT = Problem("refuses-it", "doesn't allow it", "don't allow it")


def _summarize_access(found: NetworkRestrictions) -> dict[str, Any]:
    state = restrictions_of(found)
    ranges = [*state.in_force.v4, *(state.in_force.v6 or ())] if state.in_force else []
    kept = state.in_force if len(ranges) <= MOST_KEPT else None
    lists = EVERYBODY if state.is_untouched else (kept.v4, kept.v6) if kept else None
    return {
        "open": state.is_untouched or not OPEN_RANGES.isdisjoint(ranges),
        "ranges": len(ranges) if state.in_force or state.is_untouched else None,
        "lists": lists,
        "stuck": state.is_stored,
        "allowed": not state.is_disallowed,
    }


def _show_access(_workspace: Workspace, found: Mapping[str, Any]) -> dict[str, Shown]:
    production = {ref for ref, label in labels().items() if label.production}
    return {ref: _access(value, is_production=ref in production) for ref, value in found.items()}


def _access(value: Mapping[str, Any], *, is_production: bool) -> Shown:
    if value["stuck"]:
        stuck = Need(NOT_IN_FORCE, "Saved restrictions are not in force", "Check restrictions", "network:restrictions")
        return Shown("Not in force", "!", tone="danger", number=3, detail="The saved list is not in force.", need=stuck)
    if value["open"]:
        words = "The production database is open to everybody"
        need = Need(OPEN, words, "Add restrictions", "network:restrictions") if is_production and value["allowed"] else None
        return Shown(
            "Open to all", "All", tone="attention", number=2, detail="Every address may connect to the database.", need=need
        )
    if value["ranges"] is None:
        return Shown("Unknown", "?", number=1, detail="The service doesn't say which list is in force.")
    if not value["ranges"]:
        return Shown("Closed to all", "0", tone="attention", number=1, detail="No address may connect to the database.")
    return Shown(
        counted(value["ranges"], "range"), f"{value['ranges']:,}", detail="Only these ranges may connect to the database."
    )


def _find_access(value: Mapping[str, Any], address: str) -> Shown:
    lists = value.get("lists")
    found = admission(RangeList.of(*lists) if lists else None, read_address(address))
    if found.allowed:
        return Shown(f"Allowed by {found.by}" if value["ranges"] else "Allowed, no restrictions", tone="good")
    if found.allowed is None:
        return Shown("Unknown", number=1)
    need = Need(REFUSES_IT, f"{address} is not allowed", "Show restrictions", "network:restrictions")
    return Shown("Not allowed", tone="attention", number=2, need=need)


def _summarize_bans(found: NetworkBans) -> dict[str, Any]:
    addresses = sorted({canonical(address) for address in found.banned_ipv4_addresses})
    return {"count": len(addresses), "addresses": addresses[:MOST_KEPT]}


def _show_bans(_workspace: Workspace, found: Mapping[str, Any]) -> dict[str, Shown]:
    names = labels_of(sorted({address for value in found.values() for address in value["addresses"]}))
    return {ref: _bans(value, names) for ref, value in found.items()}


def _bans(value: Mapping[str, Any], names: Mapping[str, str]) -> Shown:
    known = next((address for address in value["addresses"] if address in names), "")
    need = Need(BANNED, f"{names[known]} ({known}) is banned", "Lift ban", "network:bans") if known else None
    return Shown(str(value["count"]), tone="danger" if known else "", number=value["count"], need=need)


def _find_ban(value: Mapping[str, Any], address: str) -> Shown:
    if address in value["addresses"]:
        need = Need(BANS_IT, f"{address} is banned", "Lift ban", "network:lift", f"?{urlencode({'address': address})}")
        return Shown("Banned", tone="danger", number=2, need=need)
    return Shown("Not banned", tone="good") if value["count"] <= len(value["addresses"]) else Shown("Unknown", number=1)


ACCESS = Fact(
    "access",
    "Restrictions",
    "network:restrictions",
    30,
    _show_access,
    operation="M24",
    read=read_restrictions,
    summarize=_summarize_access,
    find=_find_access,
    tabs=(PROJECT, PROJECTS, NETWORK),
    icon="shield",
)
BANS = Fact(
    "bans",
    "Bans",
    "network:bans",
    40,
    _show_bans,
    operation="M22",
    read=list_bans,
    summarize=_summarize_bans,
    find=_find_ban,
    tabs=(PROJECT, PROJECTS, NETWORK),
    icon="ban",
)
