"""Facts about a project's functions (M10)."""

from collections.abc import Mapping, Sequence

from dashboard.facts.registry import Fact, Need, Problem, Shown
from dashboard.features.functions.rules import is_public
from dashboard.features.functions.services.functions import list_functions
from dashboard.interfaces.management.functions import Function, FunctionStatus
from dashboard.tokens.workspace import Workspace

Counts = Mapping[str, int]
THROTTLED = Problem("functions-throttled", "with throttled functions")


def _summarize(functions: Sequence[Function]) -> Counts:
    live = [function for function in functions if function.status != FunctionStatus.REMOVED]
    throttled = sum(function.status == FunctionStatus.THROTTLED for function in live)
    removed = len(functions) - len(live)
    return {"all": len(live), "removed": removed, "public": sum(map(is_public, live)), "throttled": throttled}


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
)
