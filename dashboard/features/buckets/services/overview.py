"""What overviews show of a storage: buckets (S2), and what the index knows of their objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.catalog import queries
from dashboard.facts.registry import Fact, Shown
from dashboard.features.buckets.services.buckets import list_buckets
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text, counted


def _summarize(buckets: Sequence[Bucket]) -> dict[str, int]:
    return {"buckets": len(buckets), "public": sum(bool(bucket.public) for bucket in buckets)}


def _show(workspace: Workspace, found: Mapping[str, Any]) -> dict[str, Shown]:
    totals = queries.totals(workspace, list(found))
    return {space: _shown(value, totals.get(space)) for space, value in found.items()}


def _shown(value: Mapping[str, int], total: queries.Total | None) -> Shown:
    words = [str(value["buckets"])]
    if total:
        words.append(bytes_text(total.bytes))
    if value["public"]:
        words.append(f"{value['public']} public")
    indexed = f"{counted(total.objects, 'object')} in {counted(total.buckets, 'indexed bucket')}." if total else ""
    number = (total.bytes if total else 0) + value["buckets"] / 1_000_000
    return Shown(", ".join(words), tone="attention" if value["public"] else "", number=number, detail=indexed)


FACT = Fact(
    "storage",
    "Buckets",
    "buckets:index",
    70,
    _show,
    kind=Kind.STORAGE,
    operation="S2",
    read=list_buckets,
    summarize=_summarize,
)
