"""What browsers load in production: one style sheet, one script of every page, and what a page needs of its own."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
import rjsmin  # type: ignore[import-untyped] # it has no types
from django.template.loader import render_to_string
from django.test import RequestFactory
from pytest_django import Settings

from dashboard.web import frame

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"
PAGES = sorted((ROOT / "templates").rglob("*.html"))
BASE = ROOT / "templates" / "base.html"
# All but what is fetched later, with the first files.
LOADED = re.compile(r"\{% (?:stylesheet|script) '([^']+\.(?:css|js))'")
MOST_COMPRESSED = 40 * 1024


@pytest.fixture(scope="session")
def files(collected: Path) -> dict[str, Path]:
    """Each file by its name in the templates."""
    named = json.loads((collected / "staticfiles.json").read_text())["paths"]
    return {name: collected / hashed for name, hashed in named.items()}


def test_one_sheet_holds_every_component(files: dict[str, Path]) -> None:
    text = files["css/app.css"].read_text()
    assert "@import" not in text
    layers = re.findall(r'@import "([^"]+)" layer\((\w+)\)', (STATIC / "css" / "app.css").read_text())
    assert len(layers) > 20
    for name, layer in layers:
        assert f"@layer {layer} {{\n{(STATIC / 'css' / name).read_text()}" in text


@pytest.mark.parametrize(("name", "number"), [("js/app.js", 15), ("js/objects.js", 4), ("js/upload-queue.js", 6)])
def test_a_script_of_scripts_holds_each_of_them(files: dict[str, Path], name: str, number: int) -> None:
    text = files[name].read_text()
    included = re.findall(r'^// include "([^"]+)"', (STATIC / name).read_text(), re.MULTILINE)
    assert len(included) == number
    for part in included:
        assert rjsmin.jsmin((STATIC / "js" / part).read_text()) in text


def test_a_page_is_light(files: dict[str, Path]) -> None:
    """What the heaviest page sends to a cold browser: htmx, the one sheet, the one script, and what it loads of its own."""

    def weight(name: str) -> int:
        return Path(f"{files[name]}.br").stat().st_size

    weights = {path: sum(map(weight, set(LOADED.findall(path.read_text())))) for path in PAGES}
    base = weights.pop(BASE)
    whole = {path: own if "<!doctype" in path.read_text() else base + own for path, own in weights.items()}
    heaviest = max(whole, key=lambda path: whole[path])
    assert whole[heaviest] <= MOST_COMPRESSED, f"{heaviest.name}: {whole[heaviest] / 1024:.1f} KiB"


def test_scripts_and_sheets_carry_the_digest_of_what_is_served(files: dict[str, Path], settings: Settings) -> None:
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "dashboard.web.bundling.StaticFiles"}}
    settings.STATIC_ROOT = files["css/app.css"].parents[1]
    page = render_to_string("base.html", {"frame": frame.frame(RequestFactory().get("/"))["frame"]})
    tags = re.findall(r"<(?:script|link rel=\"stylesheet\")[^>]*>", page)
    assert len(tags) == 3
    for tag in tags:
        address = re.search(r'(?:src|href)="/static/([^"]+)"', tag)
        said = re.search(r'integrity="sha384-([^"]+)"', tag)
        assert address
        assert said, tag
        served = (Path(settings.STATIC_ROOT) / address[1]).read_bytes()
        assert base64.b64decode(said[1]) == hashlib.sha384(served).digest()
