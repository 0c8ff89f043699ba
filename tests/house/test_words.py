"""The standard terms on screen, and plain words in code, and none of those that they replaced."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
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
    "the act in words, not its operation id": r"\b[MS]\d{1,2}\b(?<!s3)|\{operation\}",
    "Who can use whose token": r"\bpeople reach\b|\baccess reach\b|\btokens reach\b",
    "The service returned an error (503)": r"\berror of its own\b",
    "Showing data from 8 minutes ago": r"\bwhat your token read\b",
    "Enter your public IP": r"\bstate your public\b",
    "First 100": r", and more$",
    "All; Given and received": r"^with or without\b|^both ways$",
    "Open until; Sending as": r"\bit takes files\b|\byou send as\b",
    "unprotected": r"\bwithout JWT$",
    "Delete (the bucket), with the reason below": r"\bis not empty$",
    "Counted, searchable": r"\bread all of\b|\bwe count\b|^index$|^indexing$|\bnot indexed\b|\bindex again\b|\bindex bucket\b",
    "Deploy, Roll back": r"\breplaces? the body\b|^deploy again$|\bdeploys? the body\b",
    "code (of a function)": r"^body$|\b(?:its|live|this) body\b",
    "Guides": r"\bguided minutes\b",
    "Preparing to move 1,000 objects": r"^planning$",
    "token (for the storage)": r"\b(?:storage|service|anon) keys?\b|\bneeds a key\b|\btheir keys\b",
    "access (of people alone; tokens see, buckets are public or private)": (
        r"\btokens? (?:has|have) no access\b|\baccess unknown\b|\bset up your access\b"
    ),
    "Unknown, None or 0 (a dash is none of these)": r"^[-\u2013\u2014]$",
    "(nothing: the sentence does without)": r"\bplease\b|\bsimply\b|\bevery now and then\b|\bmeanwhile\b|[a-z]!(?=\s|$)",
}

# Riddles in docstrings and comments: say who or what, and when.
RIDDLES = re.compile(
    r"\b(?:who(?:so)?ever|whomever|by (?:it|them)sel(?:f|ves)|meanwhile|for ever|every now and then)\b", re.IGNORECASE
)
SPOKEN = re.compile(r'\b(?:alt|button|label|lead|placeholder|text|title|word|words)="([^"{]+)"')
COMMENTS = {".html": r"\{#.*?#\}|\{% comment.*?endcomment %\}", ".css": r"/\*.*?\*/", ".js": r"/\*.*?\*/|//[^\n]*"}


@pytest.fixture(scope="module")
def shown() -> list[tuple[str, str]]:
    return list(_shown())


@pytest.mark.parametrize("word", REPLACED)
def test_screens_use_the_standard_words(word: str, shown: list[tuple[str, str]]) -> None:
    wrong = re.compile(REPLACED[word], re.IGNORECASE)
    assert [f"{place}: {text}" for place, text in shown if wrong.search(text)] == []


@pytest.mark.parametrize("folder", ["dashboard", "templates", "static", "tests"])
def test_docstrings_and_comments_use_plain_words(folder: str) -> None:
    assert [f"{place}: {text}" for place, text in _explained(ROOT / folder) if RIDDLES.search(text)] == []


def _explained(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every docstring and comment below a folder, except of modules that have no riddle anywhere."""
    for path in sorted(folder.rglob("*")):
        place = str(path.relative_to(ROOT))
        if path.suffix == ".py" and "migrations" not in path.parts:
            code = path.read_text()
            if not RIDDLES.search(" ".join(code.split())):
                continue
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                if token.type == tokenize.COMMENT:
                    yield place, token.string
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                    yield place, " ".join(node.value.value.split())
        elif comment := COMMENTS.get(path.suffix):
            yield from ((place, " ".join(text.split())) for text in re.findall(comment, path.read_text(), re.DOTALL))


@cache
def _shown() -> tuple[tuple[str, str], ...]:
    """Return every text that a person may read on screen, with its file."""
    return tuple(_shown_in_templates()) + tuple(_shown_by_code())


def _shown_in_templates() -> Iterator[tuple[str, str]]:
    """Yield what stands between tags, single words too, and what attributes and tags say in quotes."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text(), flags=re.DOTALL)
        for sentence in [*re.split(r"<[^>]*>|\{%.*?%\}|\{\{.*?\}\}", text), *SPOKEN.findall(text)]:
            if re.search(r"[a-z]{2}", sentence) and "=" not in sentence:
                yield str(path.relative_to(ROOT)), " ".join(sentence.split())


def _shown_by_code() -> Iterator[tuple[str, str]]:
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
