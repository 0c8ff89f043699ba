"""Rules for style sheets and scripts, read as text."""

import json
import re
from pathlib import Path

import pytest

from dashboard.web.text import UNITS

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"
SHEETS = sorted(STATIC.rglob("*.css"))
SCRIPTS = sorted(STATIC.rglob("*.js"))

CALLBACKS = {"connectedCallback", "disconnectedCallback", "if", "for", "while", "switch", "return"}

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)


def templates() -> str:
    return "\n".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_every_static_file_is_used() -> None:
    named = set(re.findall(r"\{% (?:static|stylesheet|script) [\"']([^\"']+)[\"']", templates()))
    named |= set(re.findall(r"\(static/(img/readme/[\w-]+\.png)\)", (ROOT / "README.md").read_text()))
    imported = {f"css/{name}" for sheet in SHEETS for name in re.findall(r"@import \"([^\"]+)\"", sheet.read_text())}
    imported |= {
        f"js/{name}" for script in SCRIPTS for name in re.findall(r"^// include \"([^/\"]+)\"", script.read_text(), re.MULTILINE)
    }
    named = {name for name in named if not name.startswith("django_htmx/")}
    there = {str(path.relative_to(STATIC)) for path in STATIC.rglob("*") if path.is_file()}
    assert there - named - imported == set()
    assert (named | imported) - there == set()


def test_a_page_has_one_sheet_and_one_script_of_its_own_at_most() -> None:
    """Layouts load the common ones; what a page adds stands in a block, so that the children of a page replace it."""
    common = re.compile(r"\{% stylesheet 'css/app\.css' %\}|\{% script 'js/app\.js' %\}")
    own = {
        path.name: re.findall(r"\{% (stylesheet|script) '", common.sub("", path.read_text()))
        for path in (ROOT / "templates").rglob("*.html")
    }
    assert [name for name, found in own.items() if found.count("stylesheet") > 1 or found.count("script") > 1] == []
    block = re.compile(r"\{% block sheet %\}\{% stylesheet '[^']+' %\}\{% endblock %\}")
    roots = {path.name for path in (ROOT / "templates").rglob("*.html") if "{% stylesheet" in block.sub("", path.read_text())}
    # The preview in the details arrives after its page, with its sheet.
    assert roots == {"base.html", "public.html", "plain.html", "_first.html"}


def test_no_two_features_mean_the_same_class() -> None:
    """Most of them are on every page."""
    beginnings: dict[str, set[str]] = {}
    for sheet in (STATIC / "css" / "features").glob("*.css"):
        for name in re.findall(r"(?:^|[,}])\s*\.([\w-]+)\s*\{", without_comments(sheet.read_text()), re.MULTILINE):
            beginnings.setdefault(name, set()).add(sheet.name)
    assert {name: sheets for name, sheets in beginnings.items() if len(sheets) > 1} == {}


def test_a_sheet_is_one_component_without_force() -> None:
    for sheet in SHEETS:
        text, name = without_comments(sheet.read_text()), str(sheet.relative_to(STATIC))
        # Only what must win over every layer: `hidden`, and the wish for reduced motion.
        assert ("!important" in text) == (sheet.name in {"reset.css", "base.css"}), name
        assert not re.search(r"(?:^|[,}\s])#[a-z][\w-]*\s*[{,:.]", text, flags=re.MULTILINE), f"{name}: no ids in selectors"
        assert len(text.splitlines()) <= 300, name


def test_a_line_of_a_sheet_holds_one_declaration_at_most() -> None:
    found = [
        f"{sheet.relative_to(STATIC)}: {line}"
        for sheet in SHEETS
        for line in re.sub(r'"[^"]*"|\([^()]*\)', "", without_comments(sheet.read_text())).splitlines()
        if re.search(r"[{;][^\n]*\S", line)
    ]
    assert found == []


def test_every_class_of_a_sheet_is_used() -> None:
    sources = [(ROOT / "templates", "*.html"), (STATIC / "js", "*.js"), (ROOT / "dashboard", "*.py")]
    text = "\n".join(path.read_text() for folder, names in sources for path in folder.rglob(names))
    words = set(re.findall(r"[\w-]+", text))
    begun = tuple(re.findall(r"([a-z][\w-]*--)(?:\{[{%]|\$\{)", text))
    classes = {
        name for sheet in SHEETS for name in re.findall(r"\.([a-z][\w-]*)(?=[^;{}]*\{)", without_comments(sheet.read_text()))
    }
    assert {name for name in classes - words if not name.startswith(begun)} == set()


def test_sheets_know_their_tokens() -> None:
    defined = set(re.findall(r"(--[\w-]+)\s*:", "\n".join(path.read_text() for path in SHEETS)))
    used = {str(sheet.relative_to(STATIC)): set(re.findall(r"var\((--[\w-]+)", sheet.read_text())) for sheet in SHEETS}
    assert {name: tokens - defined for name, tokens in used.items() if tokens - defined} == {}


def test_every_import_has_a_layer_and_no_sheet_one_of_its_own() -> None:
    assert [sheet.name for sheet in SHEETS if "@layer" in sheet.read_text()] == ["app.css"]
    for line in [line for sheet in SHEETS for line in sheet.read_text().splitlines()]:
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
    assert "document.dispatchEvent" not in text, "scripts share nothing by events of the document: an element has methods"
    assert len(text.splitlines()) <= 400


def test_each_custom_element_has_a_file_that_opens_with_its_interface() -> None:
    defined = {
        name: script.read_text()
        for script in SCRIPTS
        for name in re.findall(r'customElements\.define\("([\w-]+)"', script.read_text())
    }
    assert len(defined) > 8
    assert set(defined) == {script.stem for script in SCRIPTS if "extends HTMLElement" in script.read_text()}
    assert set(defined) == set(re.findall(r"<([a-z]+-[a-z-]+)[\s>]", templates()))
    for name, text in defined.items():
        assert text.startswith(f"// <{name}"), name
        assert set(re.findall(r"^    (?:async )?([a-z]\w+)\(", text, re.MULTILINE)) - CALLBACKS <= set(
            re.findall(r"\b([a-z]\w+)\(", re.match(r"(?://.*\n)+", text)[0])  # type: ignore[index] # it opens with a comment
        ), f"the methods of {name} stand in its first comment"


def test_no_script_has_a_template_inside_a_template() -> None:
    """rjsmin takes the inner one for the end of the outer one, and takes spaces out of its words."""
    for script in SCRIPTS:
        assert not re.search(r"\$\{[^}\n]*`", script.read_text()), script.name


def test_scripts_know_the_units_of_sizes() -> None:
    units = f"const UNITS = {json.dumps(['bytes', *UNITS])};"
    assert [script.stem for script in SCRIPTS if units in script.read_text()] == ["list-selection", "send-queue"]
