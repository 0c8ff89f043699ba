"""A test that takes a limit from the code that it checks would pass with any other: it writes the number down itself."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.environment import ROOT

BENCH = ROOT / "tests" / "bench"
NUMERIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Load)


@cache
def limits_of(module: str) -> frozenset[str]:
    """The names of a module's constants that are numbers or times; none for what is no module."""
    path = ROOT / f"{module.replace('.', '/')}.py"
    body = ast.parse(path.read_text()).body if path.exists() else []
    pairs = [pair for node in body if isinstance(node, ast.Assign | ast.AnnAssign) for pair in _pairs(node)]
    return frozenset(name.id for name, value in pairs if isinstance(name, ast.Name) and name.id.isupper() and is_limit(value))


def _pairs(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The names that an assignment binds, each with its value."""
    if node.value is None:
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield target, node.value


def is_limit(value: ast.expr) -> bool:
    """A number, a sum of numbers, or a `timedelta`."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "timedelta"
    numbers = [one.value for one in ast.walk(value) if isinstance(one, ast.Constant)]
    is_number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
    return bool(numbers) and is_number and all(isinstance(one, NUMERIC) for one in ast.walk(value))


def limits_in(tree: ast.Module) -> Iterator[str]:
    """The limits of the product that a test reads: imported, or of an imported module."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dashboard"):
            modules |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
            yield from (f"{node.module}.{one.name}" for one in node.names if one.name in limits_of(node.module or ""))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id, "")
            if node.attr in limits_of(module):
                yield f"{module}.{node.attr}"


def test_no_test_takes_a_limit_from_the_code_that_it_checks() -> None:
    for way in ("from dashboard.web.limits import throttle\nthrottle.WINDOW", "from dashboard.web.limits.throttle import WINDOW"):
        assert list(limits_in(ast.parse(way))) == ["dashboard.web.limits.throttle.WINDOW"]
    files: list[Path] = [file for file in sorted((ROOT / "tests").rglob("*.py")) if BENCH not in file.parents]
    found = [f"{file.relative_to(ROOT)}: {name}" for file in files for name in limits_in(ast.parse(file.read_text()))]
    assert not found, "Write the number in the test:\n" + "\n".join(dict.fromkeys(found))
