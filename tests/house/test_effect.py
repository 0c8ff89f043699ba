"""What became of a call is said in one place, dashboard/interfaces/errors.py: of a write by `effect`, in words by the error."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNANSWERED = "UnknownOutcome"
STILL_STORING = "not whether an upload was done, but whether it may still be storing"
# Where the class itself is needed, and why.
ALLOWED = {
    "dashboard/web/failures/problems.py": "the words of each failure",
    "dashboard/web/failures/cards.py": "a subclass that knows until when it is checked",
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
# What came back, or that nothing did.
ANSWER = re.compile(
    r"\bno (?:clear )?answer (?:came|arrived|in time)|\bservice (?:answered(?! that)|asks us|broke off|sent (?:no|an) answer)"
    r"|\bservice (?:does not|doesn't|did not) accept (?:these|this request|your)",
    re.IGNORECASE,
)
# Where it is said: by the error itself; and, of an entry that kept the status alone, beside the words of each failure.
SAYS = "dashboard/web/failures/problems.py"


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


def test_no_module_has_words_of_its_own_for_a_failure_of_the_service() -> None:
    modules = {path for path in MODULES if "migrations" not in path.parts} | {ROOT / one for one in ALLOWED if one != SAYS}
    texts = {
        path: path.read_text()
        for path in {*modules, *(ROOT / "templates").rglob("*.html"), *(ROOT / "static" / "js").rglob("*.js")}
    }
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path, source in texts.items()
        for text in (spoken(source) if path.suffix == ".py" else [source])
        if ANSWER.search(text)
    ]
    assert found == []


def spoken(source: str) -> list[str]:
    """The texts of a module that aren't docstrings."""
    tree = ast.parse(source)
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained
    ]


def decides(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        names = {name_of(element) for element in node.elts}
        return UNANSWERED in names or (len(names & DOUBTFUL) > 1 and not names & READS)
    return name_of(node) == UNANSWERED


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
