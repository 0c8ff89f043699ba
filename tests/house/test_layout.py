"""What the import contracts of pyproject.toml can't express: names of modules, Django in services, names of upper layers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "dashboard"
MODULES = [path for path in sorted(DASHBOARD.rglob("*.py")) if "migrations" not in path.parts]
FEATURES = sorted(path.name for path in (DASHBOARD / "features").iterdir() if (path / "apps.py").is_file())

# Lower layers first.
LAYERS = (
    ("interfaces",),
    ("web",),
    ("viewer",),
    ("vault",),
    ("journal",),
    ("notifications",),
    ("team",),
    ("labels",),
    ("tokens",),
    ("reviews",),
    ("jobs",),
    ("facts",),
    ("links", "catalog"),
    ("features",),
    ("launch",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# What a service has no use for: it knows no request, no page, no address and no setting. It may say that something isn't there.
ALLOWED = {"django.http.Http404"}
PAGE_MODULES = (
    "django.conf",
    "django.forms",
    "django.http",
    "django.shortcuts",
    "django.template",
    "django.urls",
    "django.views",
)


def test_modules_are_nouns() -> None:
    words = {path: path.stem.split("_") for path in MODULES}
    assert [str(path.relative_to(ROOT)) for path, parts in words.items() if any(part.endswith("ing") for part in parts)] == []


def test_services_know_nothing_of_pages() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in MODULES
        if path.is_relative_to(DASHBOARD / "features") and ("services" in path.parts or path.name == "services.py")
        for name in _imported(path)
        if name.startswith(PAGE_MODULES) and name not in ALLOWED
    ]
    assert found == []


def test_no_lower_layer_names_an_address_of_an_upper_one() -> None:
    spaces = {}
    for path in MODULES:
        if match := re.search(r'^app_name = "(\w+)"', path.read_text(), re.MULTILINE):
            spaces[match.group(1)] = RANK[path.relative_to(DASHBOARD).parts[0]]
    assert len(spaces) > 15
    found = [
        f"{path.relative_to(ROOT)} {text}"
        for path in MODULES
        if (layer := path.relative_to(DASHBOARD).parts[0]) in RANK
        for text in _strings(path)
        if (match := re.fullmatch(r"(\w+):[\w-]+", text)) and spaces.get(match.group(1), -1) > RANK[layer]
    ]
    assert found == []


def test_a_package_has_more_than_one_module() -> None:
    free = {"dashboard", "features", "management", "commands", "templatetags"}
    packages = [path.parent for path in MODULES if path.name == "__init__.py" and path.parent.name not in free]
    assert [str(package.relative_to(ROOT)) for package in packages if len(_inside(package)) < 3] == []


def _inside(package: Path) -> list[Path]:
    return [path for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _strings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
