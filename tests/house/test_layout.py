"""What the import contracts of pyproject.toml can't express: names of modules, Django in services, names of upper layers."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "dashboard"
MODULES = [path for path in sorted(DASHBOARD.rglob("*.py")) if "migrations" not in path.parts]
FEATURES = sorted(path.parent.name for path in (DASHBOARD / "features").glob("*/urls.py"))

CONTRACTS = {
    one["name"]: one for one in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
# Upper layers first.
LAYERS = [
    [name.removeprefix("dashboard.") for name in line.split(" | ")]
    for line in CONTRACTS["Layers: imports go down only"]["layers"]
]
RANK = {name: rank for rank, names in enumerate(reversed(LAYERS)) for name in names}

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


def test_each_package_has_a_layer_and_knows_no_sandbox() -> None:
    packages = {path.parent.name for path in DASHBOARD.glob("*/__init__.py")}
    assert packages == set(RANK)
    free = {f"dashboard.{name}" for name in packages - {"sandbox"}}
    assert set(CONTRACTS["The product never imports the sandbox"]["source_modules"]) == free


def test_there_are_as_few_layers_as_the_imports_allow() -> None:
    below: dict[str, set[str]] = {name: set() for name in RANK}
    for path in MODULES:
        for name in _imported(path):
            above, other = path.relative_to(DASHBOARD).parts[0], name.partition("dashboard.")[2].partition(".")[0]
            if above in below and other in below and other != above:
                below[above].add(other)

    @cache
    def height(name: str) -> int:
        return 1 + max((height(other) for other in below[name]), default=0)

    assert len(LAYERS) == max(height(name) for name in below)


def test_contributing_lists_the_layers_in_their_order() -> None:
    listed = re.findall(r"^\| `dashboard/(\w+)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert listed == [name for line in LAYERS for name in line]


def test_what_the_documents_name_is_there() -> None:
    for document in ("CONTRIBUTING.md", "README.md"):
        for path, name in re.findall(r"`([a-z_]+(?:/[\w*]+)+)(?:\.(\w+))?`", (ROOT / document).read_text()):
            modules = [found for found in _below(f"{path}.py") if name in found.read_text()]
            assert modules or _below(f"{path}.{name}".rstrip(".")), f"{document} names {path} {name}"


def _below(path: str) -> list[Path]:
    """Files and folders at a path of the repository, the product, the features or one of them."""
    bases = (".", "dashboard", "dashboard/features", "dashboard/features/*")
    return [found for base in bases for found in ROOT.glob(f"{base}/{path}")]


def test_a_package_says_in_one_module_what_it_adds() -> None:
    """The application of `launch` imports these modules, and that of allauth's sessions connects nothing."""
    assert len([path for path in MODULES if path.name == "feature.py"]) > 25
    ready = [str(path.relative_to(DASHBOARD)) for path in MODULES if "def ready(" in path.read_text()]
    assert ready == ["launch/apps.py", "team/apps.py"]


def test_every_feature_stands_in_both_contracts() -> None:
    assert CONTRACTS["Features do not import one another"]["modules"] == ["dashboard.features.*"]
    inside = CONTRACTS["Inside a feature: imports go down, and only these modules exist"]
    assert inside["containers"] == ["dashboard.features.*"]
    assert {path.parent.name for path in (DASHBOARD / "features").glob("*/__init__.py")} == set(FEATURES)


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


@pytest.mark.parametrize("feature", FEATURES)
def test_a_test_of_a_feature_is_called_like_its_subject(feature: str) -> None:
    """The module, view or template, with or without words behind it."""
    folder = DASHBOARD / "features" / feature
    modules = {path: path.relative_to(folder).with_suffix("").parts for path in MODULES if path.is_relative_to(folder)}
    views = [ast.parse(path.read_text()).body for path, parts in modules.items() if "views" in parts]
    subjects = {feature, *(part for parts in modules.values() for part in parts)}
    subjects |= {node.name for body in views for node in body if isinstance(node, ast.FunctionDef)}
    subjects |= {path.stem.lstrip("_") for path in (ROOT / "templates" / feature).glob("*.html")}
    tests = [path.stem.removeprefix("test_") for path in (ROOT / "tests/features" / feature).glob("test_*.py")]
    assert [name for name in tests if not any(f"{name}_".startswith(f"{subject}_") for subject in subjects)] == []


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
