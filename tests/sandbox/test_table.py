"""The table of operations against the document's: the same 46 ids, methods and paths."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.environment import ROOT

SCRIPT = """
import django, json
django.setup()
from dashboard.sandbox.urls import OPERATIONS
print(json.dumps([[row.id, row.method, row.path, row.view.__module__, row.view.__doc__ or ""] for row in OPERATIONS]))
"""


def test_it_has_the_46_operations_of_the_document(tmp_path: Path) -> None:
    document = tomllib.loads((ROOT / "tests/contract/operations.toml").read_text("utf-8"))["operation"]
    rows = table(tmp_path)
    assert len(rows) == 46
    assert [(number, method, plain(path)) for number, method, path, _, _ in rows] == [
        (row["id"], row["method"], plain(row["path"])) for row in document
    ]


def test_every_view_says_which_operation_it_is(tmp_path: Path) -> None:
    for number, _, _, module, words in table(tmp_path):
        assert words.startswith(number), f"{number}, in {module}, says: {words}"


def plain(path: str) -> str:
    """Without the prefix of a project's storage, with the parameters' names as the sandbox has them."""
    path = path.removeprefix("/{ref}/storage/v1")
    return path.replace("{bucketId}", "{bucket}").replace("{bucketName}", "{bucket}")


def table(folder: Path) -> list[list[str]]:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "dashboard.sandbox.settings", "SANDBOX_DATA": str(folder)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    rows: list[list[str]] = json.loads(done.stdout)
    return rows
