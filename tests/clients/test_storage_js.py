"""The official JavaScript client finds nothing missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.conftest import Storage

HERE = Path(__file__).parent
PACKAGE = "node_modules/@supabase/storage-js"


def folder() -> Path:
    return Path(os.environ.get("STORAGE_JS_DIR") or HERE).absolute()


@pytest.mark.node
def test_the_official_javascript_client_finds_nothing_missing(storage: Storage) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    if not (folder() / PACKAGE).is_dir():
        pytest.skip("@supabase/storage-js is not installed: run `npm install` in tests/clients, or set STORAGE_JS_DIR")
    done = subprocess.run(
        [node, str(HERE / "storage.mjs")],
        env=os.environ | {"STORAGE_JS_DIR": str(folder()), "URL": storage.url, "KEY": storage.service, "WEAK_KEY": storage.anon},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("done\n")
