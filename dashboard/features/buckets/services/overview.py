"""What overviews show of a storage: its buckets (S2) with their automatic snapshots, what the index knows of their objects, and
the token that acts there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.catalog import queries
from dashboard.facts.registry import PROJECT, PROJECTS, STORAGE, Fact, Need, Picture, Problem, Shown
from dashboard.features.buckets.services.buckets import list_buckets
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.snapshots import capture, schedule
from dashboard.snapshots.schedule import Plan
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text, counted, relative

# Beyond these, buckets are one part of the bar.
PARTS_MAX = 4
# So many buckets are named in a sentence.
NAMED = 3
BY_HAND = Shown("By hand", number=-1)
NONE_LATELY = Shown("None lately", number=-2, detail="Your token took no snapshot of a bucket in the last 30 days.")
NO_TOKEN = Problem("token-missing", "without a storage token")
STOPPED = Problem("snapshots-stopped", "with stopped snapshots")
FAILED = Problem("snapshots-failed", "with failed snapshots")


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


def _show(workspace: Workspace, found: Mapping[str, Any]) -> dict[str, Shown]:
    plans = schedule.find_all(workspace, found)
    return {space: _shown(value, plans[space]) for space, value in found.items()}


def _shown(value: Mapping[str, int], plans: Sequence[Plan]) -> Shown:
    words = f"{value['buckets']} · {value['public']} public" if value["public"] else str(value["buckets"])
    stopped, failed = [plan for plan in plans if plan.ended], [plan for plan in plans if plan.failed]
    need = _need(STOPPED, "stopped", stopped) or _need(FAILED, "failed", failed)
    return Shown(
        words,
        str(value["buckets"]),
        tone="attention" if need or value["public"] else "",
        number=value["buckets"],
        detail=_goods(plans),
        need=need,
    )


def _show_snapshots(workspace: Workspace, plans: Mapping[str, Sequence[Plan]]) -> dict[str, Shown]:
    of_buckets = {space: [plan for plan in found if not plan.folder] for space, found in plans.items()}
    shown = {space: _oldest(found) for space, found in of_buckets.items() if found}
    others = [space for space in plans if space not in shown and workspace.has_own(Kind.STORAGE, space)]
    taken = schedule.taken_lately(workspace, others)
    return shown | {space: BY_HAND if taken[space] else NONE_LATELY for space in taken}


def _oldest(plans: Sequence[Plan]) -> Shown:
    """Show the last good snapshot of the bucket where that is longest ago."""
    times = [plan.good_at for plan in plans if plan.good_at]
    tone, detail = "attention" if any(plan.ended or plan.failed for plan in plans) else "", _goods(plans)
    if len(times) < len(plans):
        return Shown("None yet", tone=tone, detail=detail)
    return Shown(relative(min(times)), tone=tone, number=min(times).timestamp(), detail=detail)


def _goods(plans: Sequence[Plan]) -> str:
    return f"Last good snapshot: {_named([_good(plan) for plan in plans])}." if plans else ""


def _good(plan: Plan) -> str:
    return f"{plan.of} {relative(plan.good_at) if plan.good_at else 'none yet'}"


def _need(problem: Problem, what: str, plans: Sequence[Plan]) -> Need | None:
    if not plans:
        return None
    words = f"Snapshots {what}: {_named([plan.of for plan in plans])}"
    if len(plans) == 1:
        return Need(problem, words, "Show snapshots", "snapshots:index", inside=(plans[0].bucket,))
    return Need(problem, words, "Show buckets", "buckets:index")


def _named(texts: Sequence[str]) -> str:
    """Return the first texts, and how many others there are."""
    others = f", {len(texts) - NAMED} more" if texts[NAMED:] else ""
    return f"{', '.join(texts[:NAMED])}{others}"


def _show_bytes(_workspace: Workspace, totals: Mapping[str, queries.Total | None]) -> dict[str, Shown]:
    return {space: _size(total) for space, total in totals.items()}


def _size(total: queries.Total | None) -> Shown:
    if not total:
        return Shown("Not counted", number=-1)
    size = bytes_text(total.bytes)
    sums = f"{counted(total.objects, 'object')} in {counted(total.buckets, 'counted bucket')}."
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
    return Shown("None")


def _need_token(space: str) -> Need:
    return Need(NO_TOKEN, "No storage token", "Add token", "account:token_new", f"?kind=storage&space={space}", is_global=True)


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
        unasked=_need_token,
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
    Fact(
        "snapshot",
        "Last snapshot",
        "buckets:index",
        73,
        _show_snapshots,
        kind=Kind.STORAGE,
        source=schedule.find_all,
        tabs=(STORAGE,),
        is_available=capture.is_on,
    ),
    Fact("token", "Your token", "buckets:index", 74, _show_token, kind=Kind.STORAGE, tabs=(STORAGE,)),
)
