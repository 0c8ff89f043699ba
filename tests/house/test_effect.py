"""What became of a failed write is said in one place: `effect`, in dashboard/interfaces/errors.py."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNANSWERED = "UnknownOutcome"
STILL_STORING = "not whether an upload was done, but whether it may still be storing"
# Where the class itself is needed, and why.
ALLOWED = {
    "dashboard/web/problems.py": "the words of each failure",
    "dashboard/web/errors.py": "a subclass that knows until when it is checked",
    "dashboard/features/patterns/records.py": "one sample of each failure",
    "dashboard/catalog/leases.py": STILL_STORING,
    "dashboard/catalog/receipts.py": STILL_STORING,
}
MODULES = sorted(
    path
    for path in (ROOT / "dashboard").rglob("*.py")
    if not {"interfaces", "sandbox"} & set(path.relative_to(ROOT).parts) and str(path.relative_to(ROOT)) not in ALLOWED
)
# A list of these decides about writes, unless it also names a failure that leaves everything as it was.
DOUBTFUL = {UNANSWERED, "Broken", "Unexpected"}
READS = {"Unreachable", "TimedOut", "SlowDown"}


def test_no_module_lists_failures_to_decide_whether_a_write_happened() -> None:
    found = [
        f"{module.relative_to(ROOT)}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.expr) and decides(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("UNSURE = (errors.Broken, errors.TimedOut, errors.UnknownOutcome)", True),
        ("try: f()\nexcept (Broken, Unexpected): pass", True),
        ("try: f()\nexcept UnknownOutcome: pass", True),
        ("PASSING = (Broken, SlowDown, TimedOut, Unexpected, Unreachable)", False),
        ("error.effect is Effect.UNKNOWN", False),
    ],
)
def test_such_lists_are_found(code: str, found: bool) -> None:
    assert any(decides(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.expr)) is found


def decides(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        names = {name_of(element) for element in node.elts}
        return UNANSWERED in names or (len(names & DOUBTFUL) > 1 and not names & READS)
    return name_of(node) == UNANSWERED


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
