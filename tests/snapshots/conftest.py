"""A store in a folder and one in an S3 server."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from dashboard.snapshots import manifest
from dashboard.snapshots.objects import Reader
from dashboard.snapshots.store import Store, open_store
from tests.catalog.conftest import Shelf
from tests.launch.command import free_port


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of an S3 server."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        _wait_until_ready(address)
        yield address
        server.kill()


@pytest.fixture
def s3_settings(s3_server: str) -> dict[str, str]:
    """The settings of a new bucket there."""
    bucket = f"snapshots-{time.monotonic_ns()}"
    requests.put(f"{s3_server}/{bucket}", timeout=10).raise_for_status()
    return {
        "SNAPSHOT_URL": f"s3://{bucket}/below",
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut what a snapshot lists into many segments and lists, though there are few objects."""
    monkeypatch.setattr(manifest, "SEGMENT_ENTRIES", 4)
    monkeypatch.setattr(manifest, "LIST_SEGMENTS", 3)


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        (tmp_path / "the store").mkdir()
        return open_store((tmp_path / "the store").as_uri(), {})
    settings = request.getfixturevalue("s3_settings")
    return open_store(settings["SNAPSHOT_URL"], settings)


def _wait_until_ready(address: str) -> None:
    for _ in range(200):
        try:
            requests.get(address, timeout=5)
        except requests.ConnectionError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the S3 server does not answer")


def replace_while_kept(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace "a.txt" each time it is kept."""
    entry = Reader.entry

    def change(reader: Reader, *given: object) -> object:
        found = entry(reader, *given)  # type: ignore[arg-type] # those of the method
        if found and found.key == "a.txt":
            shelf.storage.objects.replace(shelf.bucket, "a.txt", b"newer", content_type="text/plain")
        return found

    monkeypatch.setattr(Reader, "entry", change)
