"""What overviews show of a storage: its buckets (S2), what the index knows of their objects, and the token that acts there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.catalog import queries
from dashboard.facts.registry import PROJECT, PROJECTS, STORAGE, Fact, Need, Picture, Problem, Shown
from dashboard.features.buckets.services.buckets import list_buckets
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text, counted, relative

# Beyond these, buckets are one part of the bar.
PARTS_MAX = 4
NO_TOKEN = Problem("token-missing", "without a token")


@dataclass(frozen=True, slots=True)
class Part:
    """A bucket in the bar of a storage, or all others if `bucket` is empty. `begin` and `share` are percentages."""

    bucket: str
    objects: int
    bytes: int
    begin: str
    share: str


def _summarize(buckets: Sequence[Bucket]) -> dict[str, int]:
    return {"buckets": len(buckets), "public": sum(bool(bucket.public) for bucket in buckets)}


def _show(_workspace: Workspace, found: Mapping[str, Any]) -> dict[str, Shown]:
    return {space: _shown(value) for space, value in found.items()}


def _shown(value: Mapping[str, int]) -> Shown:
    words = f"{value['buckets']} · {value['public']} public" if value["public"] else str(value["buckets"])
    return Shown(words, str(value["buckets"]), tone="attention" if value["public"] else "", number=value["buckets"])


def _show_bytes(_workspace: Workspace, totals: Mapping[str, queries.Total | None]) -> dict[str, Shown]:
    return {space: _size(total) for space, total in totals.items()}


def _size(total: queries.Total | None) -> Shown:
    if not total:
        return Shown("Not counted", number=-1)
    size = bytes_text(total.bytes)
    sums = f"{size}: {counted(total.objects, 'object')} in {counted(total.buckets, 'counted bucket')}."
    return Shown(size, number=total.bytes, detail=sums)


def _stack(workspace: Workspace, space: str, total: queries.Total | None) -> list[Part] | None:
    """Return the counted buckets that hold most, largest first, and one part for the others."""
    if not total or not total.bytes:
        return None
    counted_ones = [(bucket, known) for bucket, known in queries.states(workspace, space).items() if known.complete]
    rows = sorted(counted_ones, key=lambda row: -row[1].bytes)
    sums = [(bucket, known.objects, known.bytes) for bucket, known in rows[:PARTS_MAX]]
    if others := rows[PARTS_MAX:]:
        sums.append(("", sum(known.objects for _, known in others), sum(known.bytes for _, known in others)))
    parts, begin = [], 0.0
    for bucket, objects, size in sums:
        share = 100 * size / total.bytes
        parts.append(Part(bucket, objects, size, f"{begin:.2f}%", f"{share:.2f}%"))
        begin += share
    return parts


def _show_newest(_workspace: Workspace, totals: Mapping[str, queries.Total | None]) -> dict[str, Shown]:
    return {space: _newest(total) for space, total in totals.items()}


def _newest(total: queries.Total | None) -> Shown:
    if not total:
        return Shown("Not counted", number=-1)
    return Shown(relative(total.newest), number=total.newest.timestamp()) if total.newest else Shown("None")


def _show_token(workspace: Workspace, spaces: Iterable[str]) -> dict[str, Shown]:
    return {space: _token(workspace, space) for space in spaces}


def _token(workspace: Workspace, space: str) -> Shown:
    if granted := workspace.grant_at(Kind.STORAGE, space):
        return Shown(f"Through {granted.grant.giver}", number=1)
    if workspace.has(Kind.STORAGE, space):
        return Shown("Stored", tone="good", number=2)
    missing = Need(NO_TOKEN, "No storage token", "Add token", "account:token_new", f"?kind=storage&space={space}", is_global=True)
    return Shown("None", need=missing)


FACTS = (
    Fact(
        "storage",
        "Buckets",
        "buckets:index",
        70,
        _show,
        kind=Kind.STORAGE,
        operation="S2",
        read=list_buckets,
        summarize=_summarize,
        tabs=(PROJECT, PROJECTS, STORAGE),
        icon="hard-drive",
    ),
    Fact(
        "bytes",
        "Size",
        "buckets:index",
        71,
        _show_bytes,
        kind=Kind.STORAGE,
        source=queries.totals,
        tabs=(PROJECT, STORAGE),
        icon="chart-pie",
        picture=Picture("buckets/_stack.html", _stack),
    ),
    Fact("newest", "Newest file", "buckets:index", 72, _show_newest, kind=Kind.STORAGE, source=queries.totals, tabs=(STORAGE,)),
    Fact("token", "Your token", "buckets:index", 73, _show_token, kind=Kind.STORAGE, tabs=(STORAGE,)),
)
