"""Rules for every template, read as text."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.template.loader import get_template
from lucide import _load_icon as load_icon

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
FORBIDDEN = {
    r"\|\s*safe\b": "nothing is marked safe in a template",
    r"autoescape\s+off": "escaping stays on",
    r"\sstyle\s*=": "no inline style",
    r"<style\b": "no inline style sheet",
    r"<script\b": "scripts come by {% script %}, with their digest",
    r"rel=[\"']stylesheet": "style sheets come by {% stylesheet %}, with their digest",
    r"\son[a-z]+\s*=\s*[\"']": "no inline handler",
    r"hx-on": "no inline handler",
    r"hx-boost": "links are links",
    r"hx-confirm": "destroying asks through confirm()",
    r"javascript:": "no script in an address",
    r"hx-(?:vals|headers)='?\"?js:": "no values that need eval",
}

TAG = re.compile(r"""<(\w+)((?:\{%.*?%\}|\{\{.*?\}\}|"(?:\{%.*?%\}|\{\{.*?\}\}|[^"])*"|[^>"{])*)>""", re.DOTALL)
ASKS = re.compile(r"\shx-(?:get|post|put|patch|delete)=")
PASSED_ON = re.compile(r"\shx-(?:target|swap|push-url)=")
INCLUDED = re.compile(r"\{% (?:include|each) .*?\"(\w+/[\w.]+\.html)\"")

each = pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))


@each
def test_no_line_is_longer_than_a_screen(template: Path) -> None:
    assert [number for number, line in enumerate(template.read_text().splitlines(), 1) if len(line.encode()) > 160] == []


@each
def test_it_compiles(template: Path) -> None:
    get_template(str(template.relative_to(ROOT / "templates")))


@each
def test_it_holds_nothing_forbidden(template: Path) -> None:
    text = re.sub(r"\{#.*?#\}", "", template.read_text())
    assert not [hint for pattern, hint in FORBIDDEN.items() if re.search(pattern, text)]


@each
def test_it_names_its_context_first(template: Path) -> None:
    text = template.read_text()
    assert text.startswith("{#") or "{{" not in text, "a template with a context opens with a comment that names it"


@each
def test_what_asks_passes_its_target_and_swap_to_nothing_inside(template: Path) -> None:
    """htmx inherits both: a link inside a list that replaces itself would replace the dialog it is to fill."""
    text = _without_comments(template)
    for tag in TAG.finditer(text):
        passes_on = ASKS.search(tag[2]) and PASSED_ON.search(tag[2]) and 'hx-disinherit="*"' not in tag[2]
        assert not (passes_on and _asks(_inside(text, tag))), f'{tag[0][:120]} needs hx-disinherit="*"'


@each
def test_its_icons_exist(template: Path) -> None:
    for name in re.findall(r"\{% (?:icon|lucide) \"([^\"]+)\"", template.read_text()):
        load_icon(name)


def test_icons_named_in_python_exist() -> None:
    for module in (ROOT / "dashboard").rglob("*.py"):
        for name in re.findall(r"\bicon=\"([a-z0-9-]+)\"", module.read_text()):
            load_icon(name)


def test_shared_parts_start_with_an_underscore() -> None:
    for path in (ROOT / "templates" / "parts").iterdir():
        assert path.name.startswith("_"), path.name


def test_all_are_formatted() -> None:
    formatter = Path(sys.executable).with_name("djade")
    result = subprocess.run([formatter, "--check", *TEMPLATES], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_html_is_made_by_templates() -> None:
    """Only the tags of the kit and notices write markup in Python, by format_html."""
    allowed = {"ui.py", "notices.py"}
    for module in (ROOT / "dashboard").rglob("*.py"):
        if "sandbox" in module.parts or module.name in allowed:
            continue
        assert not re.search(r"\bmark_safe\b|\bSafeString\(", module.read_text()), module


def _without_comments(template: Path) -> str:
    return re.sub(r"\{#.*?#\}", "", template.read_text())


def _inside(text: str, tag: re.Match[str]) -> str:
    """What stands between the tag and its end."""
    depth = 1
    for other in re.finditer(rf"<(/?){tag[1]}\b", text[tag.end() :]):
        depth += -1 if other[1] else 1
        if not depth:
            return text[tag.end() : tag.end() + other.start()]
    return ""


def _asks(text: str) -> bool:
    """Whether something in it asks the server, also in what it includes."""
    return bool(ASKS.search(text)) or any(_asks(_without_comments(ROOT / "templates" / name)) for name in INCLUDED.findall(text))
