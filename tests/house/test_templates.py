"""Rules for every template, read as text."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from django.template import TemplateSyntaxError
from django.template.loader import get_template
from lucide import IconDoesNotExist
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
    r"[>\"']\s*[-\u2013\u2014]\s*[<\"']": "no dash stands for a value: say Unknown, None or 0",
    r"hx-(?:vals|headers)='?\"?js:": "no values that need eval",
}

ALLAUTH_ASKS_FOR = {
    *(f"account/{name}.html" for name in ("account_inactive", "login", "logout", "password_change", "password_reset")),
    *(f"account/password_reset_{name}.html" for name in ("done", "from_key", "from_key_done")),
    "mfa/authenticate.html",
}
# Mail programs know no style sheets.
MAIL = ROOT / "templates" / "notifications" / "mail.html"
IN_MAIL = {"no inline style"}

TAG = re.compile(r"""<(\w+)((?:\{%.*?%\}|\{\{.*?\}\}|"(?:\{%.*?%\}|\{\{.*?\}\}|[^"])*"|[^>"{])*)>""", re.DOTALL)
ASKS = re.compile(r"\s(?:hx-(?:get|post|put|patch|delete)=|\{% (?:opens|follows) )")
PASSED_ON = re.compile(r"\shx-(?:target|swap|push-url)=")
INCLUDED = re.compile(r"\{% (?:include|each) .*?\"(\w+/[\w.]+\.html)\"")


def broken(rule: Callable[[Path], Any]) -> dict[str, Any]:
    """What the rule finds, by template."""
    return {str(path.relative_to(ROOT / "templates")): found for path in TEMPLATES if (found := rule(path))}


def test_no_line_is_longer_than_a_screen() -> None:
    def long_lines(template: Path) -> list[int]:
        return [number for number, line in enumerate(template.read_text().splitlines(), 1) if len(line.encode()) > 160]

    assert broken(long_lines) == {}


def test_each_is_named_somewhere() -> None:
    texts = [path.read_text() for path in (*TEMPLATES, *(ROOT / "dashboard").rglob("*.py"))]
    named = {name for text in texts for name in re.findall(r"[\"']([\w./-]+\.html)[\"']", text)}
    assert {str(path.relative_to(ROOT / "templates")) for path in TEMPLATES} - named == ALLAUTH_ASKS_FOR


def test_they_compile() -> None:
    def error(template: Path) -> str:
        try:
            get_template(str(template.relative_to(ROOT / "templates")))
        except TemplateSyntaxError as why:
            return str(why)
        return ""

    assert broken(error) == {}


def test_they_hold_nothing_forbidden() -> None:
    def hints(template: Path) -> list[str]:
        allowed = IN_MAIL if template == MAIL else set()
        found = [hint for pattern, hint in FORBIDDEN.items() if re.search(pattern, _without_comments(template))]
        return [hint for hint in found if hint not in allowed]

    assert broken(hints) == {}


def test_they_name_their_context_first() -> None:
    """A template with a context opens with a comment that names it."""

    def is_silent(template: Path) -> bool:
        text = template.read_text()
        return "{{" in text and not text.startswith("{#")

    assert broken(is_silent) == {}


def test_breadcrumbs_and_titles_name_the_project_and_not_its_ref() -> None:
    def refs(template: Path) -> list[str]:
        blocks = re.findall(r"\{% block (?:crumbs|title) %\}.*?\{% endblock", template.read_text(), re.DOTALL)
        return [block[:120] for block in blocks if "{{ ref }}" in block]

    assert broken(refs) == {}


def test_what_asks_passes_its_target_and_swap_to_nothing_inside() -> None:
    """htmx inherits both: a link inside a list that replaces itself would replace the dialog it is to fill."""

    def inherited(template: Path) -> list[str]:
        text = _without_comments(template)
        return [
            tag[0][:120]
            for tag in TAG.finditer(text)
            if ASKS.search(tag[2])
            and PASSED_ON.search(tag[2])
            and 'hx-disinherit="*"' not in tag[2]
            and _asks(_inside(text, tag))
        ]

    assert broken(inherited) == {}


def test_what_polls_is_marked() -> None:
    """`polls.js` pauses what is marked in a hidden tab, and keeps it from leaving the page when the session ends."""

    def unmarked(template: Path) -> list[str]:
        polling = (tag[0] for tag in TAG.finditer(_without_comments(template)) if re.search(r"\bevery [\d{]", tag[0]))
        return [tag[:120] for tag in polling if "data-poll" not in tag]

    assert broken(unmarked) == {}


def test_their_icons_exist() -> None:
    def unknown(template: Path) -> list[str]:
        return [name for name in re.findall(r"\{% (?:icon|lucide) \"([^\"]+)\"", template.read_text()) if not _is_icon(name)]

    assert broken(unknown) == {}


def test_icons_named_in_python_exist() -> None:
    named = {
        name: str(module.relative_to(ROOT))
        for module in (ROOT / "dashboard").rglob("*.py")
        for name in re.findall(r"\bicon=\"([a-z0-9-]+)\"", module.read_text())
    }
    assert named
    assert {name: module for name, module in named.items() if not _is_icon(name)} == {}


def test_shared_parts_start_with_an_underscore() -> None:
    for path in (ROOT / "templates" / "parts").iterdir():
        assert path.name.startswith("_"), path.name


def test_all_are_formatted() -> None:
    formatter = Path(sys.executable).with_name("djade")
    result = subprocess.run([formatter, "--check", *TEMPLATES], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_html_is_made_by_templates() -> None:
    """Only the tags of the kit, notices, and what the viewer's process cleaned or escaped are marked as markup in Python."""
    allowed = {"ui.py", "notices.py", "content.py"}
    for module in (ROOT / "dashboard").rglob("*.py"):
        if "sandbox" in module.parts or module.name in allowed:
            continue
        assert not re.search(r"\bmark_safe\b|\bSafeString\(", module.read_text()), module


@cache
def _is_icon(name: str) -> bool:
    try:
        load_icon(name)
    except IconDoesNotExist:
        return False
    return True


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
