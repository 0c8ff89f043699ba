"""Rules for the files themselves."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path for path in (ROOT / "dashboard").rglob("*.py") if "migrations" not in path.parts)
DRAWERS = {"utils", "helpers", "common", "mixins", "core", "misc"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_short_and_says_what_it_is(module: Path) -> None:
    lines = module.read_text().splitlines()
    assert len(lines) <= 400
    assert module.stem not in DRAWERS


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
