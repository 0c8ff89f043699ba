"""What browsers load in production: one style sheet, one script of every page, and what a page needs of its own."""

import base64
import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
import rjsmin  # type: ignore[import-untyped] # it has no types
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import RequestFactory
from pytest_django import Settings

from dashboard.web.assets.bundles import lean
from dashboard.web.pages import frame

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"


@pytest.fixture(scope="session")
def files(collected: Path) -> dict[str, Path]:
    """Each file by its name in the templates."""
    named = json.loads((collected / "staticfiles.json").read_text())["paths"]
    return {name: collected / hashed for name, hashed in named.items()}


SHEETS = [sheet.name for sheet in sorted((STATIC / "css").glob("*.css")) if "@import" in sheet.read_text()]


@pytest.mark.parametrize("name", SHEETS)
def test_one_sheet_holds_every_component(files: dict[str, Path], name: str) -> None:
    text = files[f"css/{name}"].read_text()
    assert "@import" not in text
    assert "/*" not in text
    layers = re.findall(r'@import "([^"]+)" layer\((\w+)\)', (STATIC / "css" / name).read_text())
    assert len(layers) > (20 if name == "app.css" else 0)
    for part, layer in layers:
        before = text.partition(lean((STATIC / "css" / part).read_text()))
        assert before[1]
        assert before[0].rpartition("@layer ")[2].startswith(f"{layer}{{")
    blocks = re.findall(r"@layer (\w+)\{", text)
    assert not any(one == after for one, after in pairwise(blocks)), "two blocks of one layer weigh more than one"


def test_of_packages_only_what_pages_load_is_collected(files: dict[str, Path]) -> None:
    assert {name for name in files if not (STATIC / name).exists()} == {"django_htmx/htmx-2.min.js"}


@pytest.mark.parametrize(("name", "number"), [("js/app.js", 20), ("js/objects.js", 5), ("js/uploads.js", 8), ("js/sender.js", 2)])
def test_a_script_of_scripts_holds_each_of_them(files: dict[str, Path], name: str, number: int) -> None:
    text = files[name].read_text()
    included = re.findall(r'^// include "([^"]+)"', (STATIC / name).read_text(), re.MULTILINE)
    assert len(included) == number
    for part in included:
        source = str(finders.find(part[1:])) if part[0] == "/" else STATIC / "js" / part
        assert rjsmin.jsmin(Path(source).read_text()) in text


def test_scripts_and_sheets_carry_the_digest_of_what_is_served(files: dict[str, Path], settings: Settings) -> None:
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "dashboard.web.assets.bundles.StaticFiles"}}
    settings.STATIC_ROOT = files["css/app.css"].parents[1]
    request = RequestFactory().get("/")
    page = render_to_string("layouts/list.html", {"frame": frame.frame(request)["frame"], "request": request, "csrf_token": ""})
    tags = re.findall(r"<(?:script|link rel=\"stylesheet\")[^>]*>", page)
    assert len(tags) == 2
    for tag in tags:
        address = re.search(r'(?:src|href)="/static/([^"]+)"', tag)
        said = re.search(r'integrity="sha256-([^"]+)"', tag)
        assert address
        assert said, tag
        served = (Path(settings.STATIC_ROOT) / address[1]).read_bytes()
        assert base64.b64decode(said[1]) == hashlib.sha256(served).digest()
