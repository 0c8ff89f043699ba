"""Facts about a project's functions (M10)."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.facts.registry import Fact, Need, Picture, Problem, Shown
from dashboard.features.functions.rules import is_public, version_of
from dashboard.features.functions.services.functions import list_functions
from dashboard.interfaces.management.functions import Function, FunctionStatus
from dashboard.tokens.workspace import Workspace

Counts = Mapping[str, Any]
LISTED_MAX = 4
THROTTLED = Problem("functions-throttled", "with throttled functions")


def _summarize(functions: Sequence[Function]) -> Counts:
    live = [function for function in functions if function.status != FunctionStatus.REMOVED]
    throttled = sum(function.status == FunctionStatus.THROTTLED for function in live)
    removed = len(functions) - len(live)
    lines = sorted(map(_line, live), key=lambda line: (not line["is_throttled"], not line["is_public"], line["slug"]))
    return {
        "all": len(live),
        "removed": removed,
        "public": sum(map(is_public, live)),
        "throttled": throttled,
        "listed": lines[:LISTED_MAX],
    }


def _line(function: Function) -> dict[str, Any]:
    return {
        "slug": function.slug,
        "version": version_of(function.version),
        "is_public": is_public(function),
        "is_throttled": function.status == FunctionStatus.THROTTLED,
    }


def _show(_workspace: Workspace, found: Mapping[str, Counts]) -> dict[str, Shown]:
    return {ref: _shown(counts) for ref, counts in found.items()}


def _shown(counts: Counts) -> Shown:
    public, throttled = counts["public"], counts["throttled"]
    removed = counts.get("removed", 0)
    details = [
        f"{public} of {counts['all']} can be called without a JWT." if public else "",
        f"{removed} more {'are' if removed > 1 else 'is'} removed." if removed else "",
    ]
    words = f"{throttled} function{'s are' if throttled > 1 else ' is'} throttled"
    return Shown(
        f"{counts['all']} · {public} unprotected" if public else str(counts["all"]),
        str(counts["all"]),
        tone="attention" if public else "",
        number=counts["all"] + public / 1000,
        detail=" ".join(filter(None, details)),
        need=Need(THROTTLED, words, "Open functions", "functions:index") if throttled else None,
    )


def _picture(_workspace: Workspace, ref: str, counts: Counts) -> dict[str, Any] | None:
    listed = counts.get("listed")
    return {"ref": ref, "listed": listed, "more": counts["all"] - len(listed)} if listed else None


FACT = Fact(
    "functions",
    "Functions",
    "functions:index",
    50,
    _show,
    operation="M10",
    read=list_functions,
    summarize=_summarize,
    icon="square-function",
    picture=Picture("functions/_glance.html", _picture),
)
