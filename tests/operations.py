"""`python -m tests.operations [ID …]`: where each operation of the interface document lives, read from the source.

Prints for each operation its interface method, its sandbox handler, the services and tasks that call it, the views that reach one
of those, and the test modules that name it. Views reach a task through the kind of job that they start.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill

from tests.contract.document import ROWS

ROOT = Path(__file__).resolve().parents[1]
DASHBOARD = ROOT / "dashboard"
HEADED = re.compile(r"([MS]\d+)\b")
# It reads M1 for the names on every page, so all views use it.
OF_EVERY_PAGE = "Workspace"
# What no service calls, and why.
UNCALLED = {"S16": "browsers and players open signed links", "S17": "deprecated in favour of S18"}

Definition = tuple[str, str]  # path below the repository, name at the top level of that module
JOB_KIND: Definition = ("dashboard/jobs/kinds.py", "Kind")


@dataclass(frozen=True, slots=True)
class Places:
    """Where one operation is implemented. Each place is `path name`; `tests` are paths."""

    id: str
    address: str
    methods: tuple[str, ...]
    handlers: tuple[str, ...]
    services: tuple[str, ...]
    views: tuple[str, ...]
    tests: tuple[str, ...]


@cache
def operations() -> tuple[Places, ...]:
    """All, in the document's order."""
    methods, handlers = _found(DASHBOARD / "interfaces", _headed), _found(DASHBOARD / "sandbox", _decorated)
    callers = _callers({tuple(place.rsplit(" ", 1)[1].split(".")): ident for ident, found in methods.items() for place in found})
    return tuple(
        Places(
            id=row["id"],
            address=f"{row['method']} {row['path']}",
            methods=tuple(methods.get(row["id"], ())),
            handlers=tuple(handlers.get(row["id"], ())),
            services=_sorted(place for place in callers.get(row["id"], ()) if not _is_view(place)),
            views=_sorted(place for place in _reaching(callers.get(row["id"], set())) if _is_public_view(place)),
            tests=tuple(path for path, idents in _tests().items() if row["id"] in idents),
        )
        for row in ROWS.values()
    )


def _found(folder: Path, ident_of: Callable[[ast.FunctionDef], str]) -> dict[str, list[str]]:
    """Return the functions of operations, by the operation's id."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for name, node in _functions(ast.parse(path.read_text()).body):
            if ident := ident_of(node):
                found.setdefault(ident, []).append(f"{path.relative_to(ROOT)} {name}")
    return found


def _headed(node: ast.FunctionDef) -> str:
    """Return the id with which its docstring begins."""
    heading = HEADED.match(ast.get_docstring(node) or "")
    return heading[1] if heading else ""


def _decorated(node: ast.FunctionDef) -> str:
    """Return the id in its decorator."""
    for made in node.decorator_list:
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "operation":
            return str(ast.literal_eval(made.args[0]))
    return ""


def _functions(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield inside + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{inside}{node.name}.")


def _callers(methods: dict[tuple[str, ...], str]) -> dict[str, set[Definition]]:
    """Return definitions that use an interface method, by operation: `….functions.delete` is `Functions.delete`."""
    named = {(owner.lower(), method): ident for (owner, method), ident in methods.items()}
    found: dict[str, set[Definition]] = {}
    for place, node in _definitions().items():
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and (ident := named.get((_owner(part.value), part.attr))):
                found.setdefault(ident, set()).add(place)
    return found


def _owner(node: ast.expr) -> str:
    """Return the last name before an attribute. `Model.objects` is Django's, not the storage's."""
    if isinstance(node, ast.Attribute):
        base = node.value
        model = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
        return "" if node.attr == "objects" and model[:1].isupper() else node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _reaching(goals: set[Definition]) -> set[Definition]:
    """Return every definition from which a goal is reached, including the goals."""
    reached, waiting = set(goals), list(goals)
    while waiting:
        goal = waiting.pop()
        new = (_users().get(goal, set()) if goal[1] != OF_EVERY_PAGE else set()) - reached
        reached |= new
        waiting += new
    return reached


@cache
def _users() -> dict[Definition, set[Definition]]:
    users: dict[Definition, set[Definition]] = {}
    for place in _definitions():
        for used in _uses(place):
            users.setdefault(used, set()).add(place)
    for module, tree in _modules().items():
        path = str(module.relative_to(ROOT))
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and call.args and _makes_kind(path, call):
                for kind in _uses_in(path, call.args[0]):
                    for used in _uses_in(path, call) - {kind, JOB_KIND}:
                        users.setdefault(used, set()).add(kind)
    return users


def _makes_kind(path: str, call: ast.Call) -> bool:
    """Whether it makes a kind of job, directly or by a function of its module."""
    made = _uses_in(path, call.func)
    return JOB_KIND in made or any(one[0] == path and JOB_KIND in _uses(one) for one in made)


@cache
def _definitions() -> dict[Definition, ast.stmt]:
    """Return functions, classes and constants at the top level of the product's modules above the interfaces."""
    return {
        (str(path.relative_to(ROOT)), name): node
        for path, tree in _modules().items()
        for node in tree.body
        for name in _defined(node)
    }


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name) and part.id.isupper()]


@cache
def _modules() -> dict[Path, ast.Module]:
    left_out = {"interfaces", "sandbox", "migrations"}
    paths = [path for path in sorted(DASHBOARD.rglob("*.py")) if not left_out & set(path.parts)]
    return {path: ast.parse(path.read_text()) for path in paths}


@cache
def _uses(place: Definition) -> set[Definition]:
    """Return definitions that this one names: its module's own, imported ones, and attributes of imported modules."""
    node = _definitions()[place]
    return _uses_in(place[0], getattr(node, "value", None) or node) - {place}


def _uses_in(path: str, node: ast.AST) -> set[Definition]:
    imported = _imports(path)
    found: set[Definition] = set()
    parts = list(ast.walk(node))
    # To look for jobs of a kind isn't to start one.
    sought = {
        word.value
        for call in parts
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in {"filter", "exclude", "get"}
        for word in call.keywords
        if word.arg == "kind"
    }
    for part in parts:
        if part in sought:
            continue
        if isinstance(part, ast.Name):
            found.add(imported.get(part.id, (path, part.id)))
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in imported:
            found.add((_file(".".join(imported[part.value.id])), part.attr))
    return found & _definitions().keys()


@cache
def _imports(path: str) -> dict[str, tuple[str, str]]:
    """Return the targets of names in `from dashboard.x import y`: (file of x, y), or (x, y) if y is a module."""
    found = {}
    for node in ast.walk(_modules()[ROOT / path]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dashboard"):
            module = str(node.module)
            for alias in node.names:
                is_module = bool(_file(f"{module}.{alias.name}"))
                found[alias.asname or alias.name] = (module if is_module else _file(module), alias.name)
    return found


def _file(module: str) -> str:
    base = ROOT / module.replace(".", "/")
    path = next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.exists()), None)
    return str(path.relative_to(ROOT)) if path else ""


def _is_view(place: Definition) -> bool:
    return "views" in Path(place[0]).with_suffix("").parts


def _is_public_view(place: Definition) -> bool:
    return _is_view(place) and isinstance(_definitions()[place], ast.FunctionDef) and place[1][0] != "_"


def _sorted(places: Iterator[Definition]) -> tuple[str, ...]:
    return tuple(f"{path} {name}" for path, name in sorted(places))


@cache
def _tests() -> dict[str, frozenset[str]]:
    """Return the operations that each test module names."""
    modules = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests").rglob("senders.py")]
    paths = sorted(path for path in modules if path.parent.name != "house")
    return {str(path.relative_to(ROOT)): frozenset(re.findall(r"\b[MS]\d{1,2}\b", path.read_text())) for path in paths}


def main(wanted: list[str]) -> None:
    for found in operations():
        if wanted and found.id not in wanted:
            continue
        print(f"{found.id}  {found.address}")  # noqa: T201 - the command's output
        for title in ("methods", "handlers", "services", "views", "tests"):
            text = ", ".join(getattr(found, title)) or f"none: {UNCALLED.get(found.id, 'not found')}"
            print(fill(text, 150, initial_indent=f"  {title:<10}", subsequent_indent=" " * 12, break_on_hyphens=False))  # noqa: T201 - same


if __name__ == "__main__":
    main(sys.argv[1:])
