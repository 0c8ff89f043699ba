"""The glossary in CONTRIBUTING.md is true for the names in the code."""

import ast
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## Glossary\n")[2].partition("\n## ")[0]
MEANINGS = dict(re.findall(r"^- \*\*(\w+)\*\*: (.+(?:\n  .+)*)$", TEXT, re.MULTILINE))
HOMES = {word: re.findall(r"`([^`]+)`", meaning) for word, meaning in MEANINGS.items()}


def test_the_glossary_has_thirty_words_in_order() -> None:
    assert len(MEANINGS) == TEXT.count("**") / 2 == 30
    assert list(MEANINGS) == sorted(MEANINGS)


@pytest.mark.parametrize("word", [word for word, homes in HOMES.items() if homes])
def test_a_name_of_the_glossary_stands_only_where_it_has_its_meaning(word: str) -> None:
    places = [path for path, name in _names() if name.lower() == word]
    homes = [tuple(home.split("/")) for home in HOMES[word]]
    assert [path for path in places if not any(_is_in(path, home) for home in homes)] == []
    assert [home for home in homes if not any(_is_in(path, home) for path in places)] == []


def _is_in(path: str, home: tuple[str, ...]) -> bool:
    parts = path.split("/")
    return len(parts) >= len(home) and all(fnmatchcase(part, wanted) for part, wanted in zip(parts, home, strict=False))


@cache
def _names() -> list[tuple[str, str]]:
    """Return each module of the product with the names of its own classes and functions."""
    return [
        (str(path.relative_to(ROOT / "dashboard")), node.name)
        for path in sorted((ROOT / "dashboard").rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
