"""The demo schema, and its TypeScript text in the form that the service generates."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import cast

# schema.json holds {schema: {"tables" and "views": {name: {column: type}},
# "functions": {name: [{argument: type}, returns]}, "enums": {name: [value]}}}.
# A type is a TypeScript type; "?" after a column's name: it may be null; "=" after it: it has a default.
Columns = Mapping[str, str]

HEADER = """export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]
"""
NEVER = ["[_ in never]: never"]


@cache
def demo() -> dict[str, dict[str, dict[str, object]]]:
    schema: dict[str, dict[str, dict[str, object]]] = json.loads(Path(__file__).with_name("schema.json").read_text("utf-8"))
    return schema


def typescript(schemas: Iterable[str]) -> str:
    """Return the types of the named schemas, ignoring unknown names."""
    lines = [HEADER, "export type Database = {"]
    for name in sorted(set(schemas) & set(demo())):
        lines += [f"  {name}: {{", *_indented(_schema(demo()[name]), 4), "  }"]
    return "\n".join([*lines, "}", ""])


def _schema(schema: Mapping[str, dict[str, object]]) -> list[str]:
    groups = {
        "Tables": {name: _table(columns, writable=True) for name, columns in schema.get("tables", {}).items()},
        "Views": {name: _table(columns, writable=False) for name, columns in schema.get("views", {}).items()},
        "Functions": {name: _function(parts) for name, parts in schema.get("functions", {}).items()},
    }
    lines: list[str] = []
    for group, members in groups.items():
        body = [line for name, inner in members.items() for line in (f"{name}: {{", *_indented(inner, 2), "}")]
        lines += [f"{group}: {{", *_indented(body or NEVER, 2), "}"]
    enums = [
        f"{name}: {' | '.join(json.dumps(value) for value in cast('list[str]', values))}"
        for name, values in schema.get("enums", {}).items()
    ]
    lines += ["Enums: {", *_indented(enums or NEVER, 2), "}"]
    return [*lines, "CompositeTypes: {", *_indented(NEVER, 2), "}"]


def _table(columns: object, *, writable: bool) -> list[str]:
    rows = cast("Columns", columns)
    lines = _row("Row", rows, optional="")
    if writable:
        lines += _row("Insert", rows, optional="?=") + _row("Update", rows, optional="?= ")
    return [*lines, "Relationships: []"]


def _row(title: str, columns: Columns, *, optional: str) -> list[str]:
    """Return one row type; `optional` lists marks of optional members, a space means all."""
    lines = []
    for marked, kind in sorted(columns.items()):
        name = marked.rstrip("?=")
        mark = "?" if " " in optional or any(sign in optional for sign in marked[len(name) :]) else ""
        lines.append(f"{name}{mark}: {kind}{' | null' if '?' in marked else ''}")
    return [f"{title}: {{", *_indented(lines, 2), "}"]


def _function(parts: object) -> list[str]:
    arguments, returns = cast("tuple[dict[str, str], str]", parts)
    listed = [f"{name}: {kind}" for name, kind in arguments.items()]
    return ["Args: {", *_indented(listed, 2), "}", f"Returns: {returns}"] if listed else ["Args: never", f"Returns: {returns}"]


def _indented(lines: Iterable[str], by: int) -> list[str]:
    return [" " * by + line for line in lines]
