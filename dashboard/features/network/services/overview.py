"""Facts about a project's restrictions (M24) and bans (M22)."""

from collections.abc import Mapping
from typing import Any

from dashboard.facts.registry import Fact, Need, Problem, Shown
from dashboard.features.network.rules.addresses import canonical
from dashboard.features.network.services.bans import labels_of, list_bans
from dashboard.features.network.services.restrictions import read_restrictions, state_of
from dashboard.interfaces.management.network import NetworkBans, NetworkRestrictions
from dashboard.labels.services import labels
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

OPEN_RANGES = frozenset({"0.0.0.0/0", "::/0"})
MOST_ADDRESSES = 100
NOT_IN_FORCE = Problem("restrictions-not-in-force", "not in force", urgent=True)
OPEN = Problem("restrictions-open", "open to all in production")
BANNED = Problem("bans-known", "with a known address banned", urgent=True)


def _summarize_access(found: NetworkRestrictions) -> dict[str, Any]:
    state = state_of(found)
    ranges = [*state.in_force.v4, *(state.in_force.v6 or ())] if state.in_force else []
    return {
        "open": state.is_untouched or not OPEN_RANGES.isdisjoint(ranges),
        "ranges": len(ranges) if state.in_force or state.is_untouched else None,
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


def _summarize_bans(found: NetworkBans) -> dict[str, Any]:
    addresses = sorted({canonical(address) for address in found.banned_ipv4_addresses})
    return {"count": len(addresses), "addresses": addresses[:MOST_ADDRESSES]}


def _show_bans(_workspace: Workspace, found: Mapping[str, Any]) -> dict[str, Shown]:
    names = labels_of(sorted({address for value in found.values() for address in value["addresses"]}))
    return {ref: _bans(value, names) for ref, value in found.items()}


def _bans(value: Mapping[str, Any], names: Mapping[str, str]) -> Shown:
    known = next((address for address in value["addresses"] if address in names), "")
    need = Need(BANNED, f"{names[known]} ({known}) is banned", "Lift ban", "network:bans") if known else None
    return Shown(str(value["count"]), tone="danger" if known else "", number=value["count"], need=need)


ACCESS = Fact(
    "access",
    "Restrictions",
    "network:restrictions",
    30,
    _show_access,
    operation="M24",
    read=read_restrictions,
    summarize=_summarize_access,
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
    icon="ban",
)
