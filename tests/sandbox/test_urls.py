"""The table of operations against the document's: the same ids, methods and paths."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.contract.document import ROWS
from tests.environment import ROOT

SCRIPT = """
import django, json
django.setup()
from dashboard.sandbox.urls import OPERATIONS
print(json.dumps([[row.id, row.method, row.path, row.view.__module__, row.view.__doc__ or ""] for row in OPERATIONS]))
"""


def test_it_has_the_operations_of_the_document(tmp_path: Path) -> None:
    assert [(number, method, plain(path)) for number, method, path, _, _ in table(tmp_path)] == [
        (row["id"], row["method"], plain(row["path"])) for row in ROWS.values()
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
