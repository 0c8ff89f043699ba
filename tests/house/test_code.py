"""Rules for the files themselves."""

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    path for name in ("dashboard", "tests") for path in sorted((ROOT / name).rglob("*.py")) if "migrations" not in path.parts
]
DRAWERS = {"utils", "helpers", "common", "mixins", "core", "misc"}


def test_files_are_short() -> None:
    lines = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > 400} == {}


def test_files_say_what_they_are() -> None:
    assert [str(path.relative_to(ROOT)) for path in MODULES if path.stem in DRAWERS] == []


def test_every_ignore_has_a_code_and_a_reason() -> None:
    bare = re.compile(r"#\s*noqa(?!: [A-Z]+\d+.* - )|#\s*type: ignore(?!\[[a-z-]+(?:, ?[a-z-]+)*\]\s+# )")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("dashboard", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_only_the_object_browser_names_its_own_address() -> None:
    """Everybody else asks navigation, which also knows how a folder and an open object stand in it."""
    own = ROOT / "dashboard" / "features" / "objects"
    naming = [path for path in (ROOT / "dashboard").rglob("*.py") if '"objects:index"' in path.read_text()]
    assert naming
    assert [str(path.relative_to(ROOT)) for path in naming if own not in path.parents] == []


def test_generated_examples_have_no_clock_on_any_machine() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
    asked = re.compile(r"\bdeadline=|\bsuppress_health_check=")
    found = [str(path.relative_to(ROOT)) for path in MODULES if "hypothesis" in (text := path.read_text()) and asked.search(text)]
    assert found == ["tests/conftest.py"]
