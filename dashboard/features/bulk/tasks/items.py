"""Items of these jobs: what people read, and what the work needs. The mark that keeps an empty folder reads as the folder."""

from collections.abc import Iterable, Iterator
from typing import Any

from dashboard.catalog.keys import PLACEHOLDER
from dashboard.catalog.walk import Entry
from dashboard.jobs.batch import Item
from dashboard.jobs.models import JobItem


def item(entry: Entry, parameters: dict[str, Any] | None = None, *, conflict: str = "") -> Item:
    named = dict(parameters or {})
    if entry.is_marker:
        return Item(entry.key.removesuffix(PLACEHOLDER) or "/", {**named, "key": entry.key}, size=0)
    return Item(entry.key, named, size=entry.size, conflict=conflict)


def key_of(row: JobItem) -> str:
    return str(row.parameters.get("key", row.target))


def is_marker(row: JobItem) -> bool:
    return "key" in row.parameters


def count(facts: dict[str, Any], entries: Iterable[Entry]) -> None:
    """Objects, bytes, those without a size, and marks, added to the facts of a plan."""
    for name, number in _numbers(entries):
        facts[name] = facts.get(name, 0) + number


def _numbers(entries: Iterable[Entry]) -> Iterator[tuple[str, int]]:
    for entry in entries:
        if entry.is_marker:
            yield "marks", 1
            continue
        yield "objects", 1
        yield "bytes", entry.size or 0
        if entry.size is None:
            yield "unsized", 1
