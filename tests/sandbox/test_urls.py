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
from dashboard.sandbox import urls
print(json.dumps([[row.id, row.method, row.path] for row in urls.OPERATIONS if row.interface != "switch"]))
"""

# A path of today's service for the same operation, which its official clients use.
OF_TODAY = ["S19", "GET", "/object/info/{bucket}/{wildcard}"]


def test_it_has_the_operations_of_the_document(tmp_path: Path) -> None:
    found = [(number, method, path) for number, method, path in table(tmp_path) if [number, method, path] != OF_TODAY]
    assert sorted(found) == sorted((row["id"], row["method"], plain(row["path"])) for row in ROWS.values())


def plain(path: str) -> str:
    """With the parameters' names as the sandbox has them."""
    return path.replace("{bucketId}", "{bucket}").replace("{bucketName}", "{bucket}")


def table(folder: Path) -> list[list[str]]:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "dashboard.sandbox.settings", "SANDBOX_DATA": str(folder)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    rows: list[list[str]] = json.loads(done.stdout)
    return rows
