"""Words on screen: the standard terms, and none of those that they replaced."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Word on screen, and what it replaces.
REPLACED = {
    "Activity, entry": r"\bjournal\b(?!:)|\bwritten down\b",
    "Signed link": r"\bpresigned\b|\braw links?\b",
    "Create links": r"\bsign desk\b|\bsigning desk\b",
    "Refresh, Check again": r"\blook again\b|\bask(?:ed)? again\b|\blooks? (?:it|them) up again\b",
    "Verify": r"\bread(?:s|ing)? (?:it |them |that )?back\b",
    "Blocked by": r"\bin the way\b|\bin its way\b",
    "Confirm your password": r"\bfresh sign-in\b",
    "anyone with the link": r"\bwho(?:so)?ever\b",
    "Limit reached": r"\bused up\b",
    "Unreachable": r"\bcould not ask\b|\bcan't be asked\b",
    "We can't tell": r"\bis not knowable\b|\bnot to be known\b",
    "Fix": r"\bto be mended\b|\bto be known\b",
    "(nothing: the sentence does without)": r"\bplease\b|\bsimply\b|\bevery now and then\b|\bmeanwhile\b|[a-z]!(?=\s|$)",
}


@pytest.mark.parametrize("word", REPLACED)
def test_screens_use_the_standard_words(word: str) -> None:
    wrong = re.compile(REPLACED[word], re.IGNORECASE)
    assert [f"{place}: {text}" for place, text in _shown() if wrong.search(text)] == []


def _shown() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text(), flags=re.DOTALL)
        for sentence in re.split(r"[<>]|\{%|%\}|\{\{|\}\}", text):
            if re.search(r"[a-z]{2} [a-z]", sentence) and "=" not in sentence:
                yield str(path.relative_to(ROOT)), " ".join(sentence.split())
    for path in sorted((ROOT / "dashboard").rglob("*.py")):
        if not {"sandbox", "migrations", "management", "bench"} & set(path.relative_to(ROOT).parts):
            yield from ((str(path.relative_to(ROOT)), text) for text in _sentences(ast.parse(path.read_text())))


def _sentences(tree: ast.Module) -> Iterator[str]:
    """Yield texts that a person may read: every string with a space, but no docstring, no model text and no log line."""
    hidden = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) in {"log", "models"}
        ):
            hidden |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in hidden
            and " " in node.value.strip()
        ):
            yield " ".join(node.value.split())
