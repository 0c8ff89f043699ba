"""Rules of the library that its text can show: who imports what, and which choices the document left to us."""

import ast
import copy
import pickle
import re
from pathlib import Path

import pytest

import dashboard
from dashboard.interfaces import Token
from dashboard.interfaces.transport.call import Transport

HOME = Path(dashboard.__file__).parent
LIBRARY = sorted((HOME / "interfaces").rglob("*.py"))
MARK = re.compile(r"#\s*not shown\b(.*)")


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_only_the_transport_imports_requests() -> None:
    importers = {path for path in HOME.rglob("*.py") if _imports(path) & {"requests", "urllib3"}}
    assert importers
    assert all("interfaces/transport" in str(path) for path in importers), importers


def test_the_library_knows_nothing_above_it() -> None:
    for path in LIBRARY:
        assert "django" not in _imports(path), path
        named = re.findall(r"from dashboard\.(\w+)", path.read_text())
        assert set(named) <= {"interfaces"}, path


def test_files_stay_short() -> None:
    assert all(len(path.read_text().splitlines()) <= 250 for path in LIBRARY)


def _marks() -> list[tuple[str, str]]:
    """Every choice that the document does not show: where, and what was chosen."""
    return [
        (str(path.relative_to(HOME)), found.group(1))
        for path in sorted(HOME.rglob("*.py"))
        for line in path.read_text().splitlines()
        if (found := MARK.search(line))
    ]


def test_each_choice_that_the_document_does_not_show_says_which() -> None:
    marks = _marks()
    assert all(re.match(r": \S.{8,}", text) for _, text in marks), "a mark reads `# not shown: what was chosen`"
    assert all(place.startswith(("interfaces/", "sandbox/")) for place, _ in marks), marks
    for place, text in marks:
        print(place, text)  # noqa: T201 - the list itself: `pytest -s` shows it


@pytest.mark.parametrize("path", sorted((HOME / "interfaces").glob("*/[a-z]*.py")), ids=lambda path: path.stem)
def test_each_file_that_sends_a_body_marks_it(path: Path) -> None:
    text = path.read_text()
    if re.search(r"Ask\([^)]*(json|body)=", text):
        assert "# not shown: the body" in text or "# not shown: how a bundle" in text


@pytest.mark.parametrize("text", ["", "   ", "two words", "line\nbreak", "ü", "\x00", "a\u200bb"])
def test_a_token_that_no_header_can_carry_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(ValueError, match="one line of visible ASCII") as caught:
        Token(text)
    assert text.strip() == "" or text not in str(caught.value)


def test_a_token_shows_dots_everywhere() -> None:
    token = Token("  canary-1 \n")
    assert token.reveal() == "canary-1"
    assert "canary" not in f"{token} {token!r} {[token]} {vars(Transport('http://x', token))}"
    assert token == Token("canary-1")
    assert len({token, Token("canary-1"), Token("canary-2")}) == 2
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(token)
    with pytest.raises(TypeError, match="can't be pickled"):
        copy.copy(token)


@pytest.mark.parametrize(
    "address", ["", "ftp://x", "x.example", "http://", "http://u:p@x", "http://x/?a=b", "http://x/#f", "file:///etc"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="A service address is"):
        Transport(address, Token("t"))
