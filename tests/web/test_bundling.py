"""The style sheet that browsers load in production."""

import re
from pathlib import Path

from django.core.management import call_command
from pytest_django import Settings

ROOT = Path(__file__).resolve().parents[2]


def test_one_sheet_holds_every_component(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "dashboard.web.bundling.StaticFiles"}}
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["htmx-4*", "readme"])
    (sheet,) = (tmp_path / "css").glob("app.*.css")
    text = sheet.read_text()
    assert "@import" not in text
    layers = re.findall(r'@import "([^"]+)" layer\((\w+)\)', (ROOT / "static" / "css" / "app.css").read_text())
    assert len(layers) > 20
    for name, layer in layers:
        assert f"@layer {layer} {{\n{(ROOT / 'static' / 'css' / name).read_text()}" in text
