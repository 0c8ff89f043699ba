"""Rules for style sheets and scripts, read as text."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"
SHEETS = sorted(STATIC.rglob("*.css"))
SCRIPTS = sorted(STATIC.rglob("*.js"))

each_sheet = pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: str(path.relative_to(STATIC)))
each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)


def templates() -> str:
    return "\n".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_every_static_file_is_used() -> None:
    named = set(re.findall(r"\{% (?:static|stylesheet|script) [\"']([^\"']+)[\"']", templates()))
    named |= set(re.findall(r"\(static/(img/readme/[\w-]+\.png)\)", (ROOT / "README.md").read_text()))
    imported = {f"css/{name}" for name in re.findall(r"@import \"([^\"]+)\"", (STATIC / "css" / "app.css").read_text())}
    imported |= {
        f"js/{name}" for script in SCRIPTS for name in re.findall(r"^// include \"([^\"]+)\"", script.read_text(), re.MULTILINE)
    }
    named = {name for name in named if not name.startswith("django_htmx/")}
    there = {str(path.relative_to(STATIC)) for path in STATIC.rglob("*") if path.is_file()}
    assert there - named - imported == set()
    assert (named | imported) - there == set()


@each_sheet
def test_a_sheet_is_one_component_without_force(sheet: Path) -> None:
    text = without_comments(sheet.read_text())
    # Only what must win over every layer: `hidden`, and the wish for reduced motion.
    assert ("!important" in text) == (sheet.name in {"reset.css", "base.css"})
    assert not re.search(r"(?:^|[,}\s])#[a-z][\w-]*\s*[{,:.]", text, flags=re.MULTILINE), "no ids in selectors"
    assert len(text.splitlines()) < 250


@each_sheet
def test_a_sheet_knows_its_tokens(sheet: Path) -> None:
    defined = set(re.findall(r"(--[\w-]+)\s*:", "\n".join(path.read_text() for path in SHEETS)))
    assert set(re.findall(r"var\((--[\w-]+)", sheet.read_text())) <= defined


def test_raw_tokens_are_used_by_roles_only() -> None:
    for sheet in SHEETS:
        if sheet.name != "tokens.css":
            assert "--raw-" not in sheet.read_text(), sheet.name


def test_every_import_has_a_layer() -> None:
    for line in (STATIC / "css" / "app.css").read_text().splitlines():
        if line.startswith("@import"):
            assert re.search(r"layer\((?:reset|tokens|base|layout|components|features|utilities)\);$", line), line


@each_script
def test_a_script_is_alone(script: Path) -> None:
    text = script.read_text()
    assert not re.search(r"^\s*(?:import|export)\b", text, flags=re.MULTILINE), "scripts import nothing"
    assert not re.search(
        r"\beval\(|new Function|innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|window\.\w+\s*=[^=]", text
    )
    assert '"use strict";' in text or re.fullmatch(r"(//.*\n)+", text), "nothing lenient"
    assert len(text.splitlines()) < 250
