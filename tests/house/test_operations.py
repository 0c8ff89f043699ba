"""Every operation of the interface document has one row, and can be found from its id."""

import ast
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dashboard.interfaces.operations import OPERATIONS, Target
from dashboard.interfaces.operations.records import Read, Request, Right, Settlement, Words, Write
from tests.operations import UNCALLED, Places, main, operations

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def places() -> dict[str, Places]:
    return {found.id: found for found in operations()}


def test_each_operation_has_an_interface_method_and_a_sandbox_handler(places: dict[str, Places]) -> None:
    assert all(found.methods and found.handlers for found in places.values())


def test_each_operation_has_a_service_and_a_test(places: dict[str, Places]) -> None:
    assert {ident for ident, found in places.items() if not found.services} == UNCALLED.keys()
    assert [ident for ident, found in places.items() if not found.tests] == []


def test_views_are_found_through_reviews_and_kinds_of_jobs(places: dict[str, Places]) -> None:
    assert "dashboard/features/secrets/views/review.py review" in places["M6"].views
    assert places["S3"].views == ("dashboard/features/bulk/views.py empty", "dashboard/features/bulk/views.py remove")
    assert {"dashboard/features/bulk/views.py move", "dashboard/features/bulk/views.py rename"} <= set(places["S11"].views)


def test_operations_of_the_storage_lead_to_no_view_of_management(places: dict[str, Places]) -> None:
    management = ("secrets", "functions", "hostname", "network", "types", "encryption")
    wrong = {
        (ident, view)
        for ident, found in places.items()
        if ident[0] == "S"
        for view in found.views
        if view.split("/")[2] in management
    }
    assert wrong == set()


def test_the_index_prints_where_an_operation_lives(capsys: pytest.CaptureFixture[str]) -> None:
    main(["M13"])
    text = capsys.readouterr().out
    for place in (
        "DELETE /v1/projects/{ref}/functions/{function_slug}",
        "Functions.delete",
        "tests/features/functions/test_delete.py",
    ):
        assert place in text


# Tables by operation that stay: witnesses of the row, and the code behind it.
TABLES = {
    "dashboard/interfaces/operations": "the rows",
    "dashboard/sandbox": "a service of its own, which never imports the product",
    "dashboard/tokens/guard.py": "the code that narrows each answer",
}


# What an operation has to say, or its row can't be imported.
REQUIRED: dict[type[Any], set[str]] = {
    Request: {"id", "method", "path"},
    Words: {"text", "about"},
    Right: {"least", "target", "acts"},
    Settlement: {"doubt", "changes"},
    Read: {"request", "words", "right", "kept"},
    Write: {"request", "words", "right", "settlement"},
}


@pytest.mark.parametrize("record", REQUIRED)
def test_a_row_that_leaves_something_out_can_not_be_made(record: type[Any]) -> None:
    said = {field.name: "" for field in fields(record) if field.name in REQUIRED[record]}
    assert said.keys() == REQUIRED[record]
    for name in said:
        with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{name}'"):
            record(**{other: value for other, value in said.items() if other != name})


def test_an_operation_on_a_project_names_its_section() -> None:
    for target, section in ((Target.PROJECT, ""), (Target.KEY, "secrets")):
        with pytest.raises(ValueError, match="has a section"):
            Right("viewer", target, ("read",), section)


def test_what_is_particular_to_an_operation_stands_in_its_row_alone() -> None:
    paths = [path for path in (ROOT / "dashboard").rglob("*.py") if not str(path.relative_to(ROOT)).startswith(tuple(TABLES))]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.expr) and is_table(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('WORDS = {"M1": "list", "M2": "create"}', True),
        ('KINDS = {"Buckets": ("S1", "S2", "S3", "S4")}', True),
        ('KEPT = frozenset({"M1", "M3", "M5", "S2"})', True),
        ('CAUSES = {("M8", "TimedOut"): "large", ("M20", "Rejected"): "starting"}', True),
        ('verb = {"M13": "deleted"}.get(operation, "changed")', False),
        ('observe(workspace, ref, seen, "M16", "M17", "M18", "M19")', False),
    ],
)
def test_such_tables_are_found(code: str, found: bool) -> None:
    assert any(is_table(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.expr)) is found


def is_table(node: ast.expr) -> bool:
    """Whether it tells operations apart: two keys of a mapping, or four members of a list."""
    if isinstance(node, ast.Dict):
        keys = [key.elts[0] if isinstance(key, ast.Tuple) and key.elts else key for key in node.keys]
        return sum(map(is_id, keys)) > 1
    return isinstance(node, ast.Tuple | ast.List | ast.Set) and sum(map(is_id, node.elts)) > 3


def is_id(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in OPERATIONS
