"""Browser tests wait for what they did before they leave the page: a request that is not yet sent is lost."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
ACTS = {"click", "dblclick", "press", "tap", "check", "uncheck", "select_option"}
LEAVES = {"goto", "reload", "go_back", "go_forward"}


def test_no_browser_test_leaves_a_page_right_after_an_act() -> None:
    modules = {path: path.read_text() for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)}
    browser = {path: source for path, source in modules.items() if "playwright" in source}
    assert browser
    assert [f"{path.relative_to(TESTS)}:{line}" for path, source in browser.items() for line in hurried(source)] == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("button.click()\npage.goto('/')", [1]),
        ("if button:\n    button.click()\npage.reload()", [2]),
        ("def test():\n    page.keyboard.press('Enter')\n    page.go_back()", [2]),
        ("button.click()\nexpect(page).to_have_url('/')\npage.goto('/')", []),
        ("with page.expect_response('/'):\n    button.click()\npage.goto('/')", []),
        ("page.goto('/')\nbutton.click()", []),
    ],
)
def test_such_a_pair_is_found(source: str, lines: list[int]) -> None:
    assert hurried(source) == lines


def hurried(source: str) -> list[int]:
    """Return the lines of acts whose next statement opens another page."""
    bodies = [
        body
        for node in ast.walk(ast.parse(source))
        for name in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, name, None), list)
    ]
    pairs = [pair for body in bodies for pair in pairwise(body)]
    return [act.lineno for before, after in pairs if (act := _end(before)) and _called(act) in ACTS and _called(after) in LEAVES]


def _end(statement: ast.stmt) -> ast.stmt | None:
    return _end(statement.body[-1]) if isinstance(statement, ast.If | ast.For) else statement


def _called(statement: ast.stmt) -> str:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
