"""Objects with keys that can no longer be stored, put into the sandbox past its rules."""

import sqlite3
from contextlib import closing

import requests

from dashboard.interfaces import StorageInterface
from tests.environment import RUN_DIR

LONG = "x" * 300


def put_odd(storage: StorageInterface, bucket: str, url: str, token: str) -> list[str]:
    """Store `/lead.txt`, `//two/deep.txt`, a segment of 300 bytes, and an empty folder's marker with bytes. Return their keys."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/plain"}
    for key in ("/lead.txt", "//two/deep.txt", "long/short.txt"):
        path = key.replace("/", "%2F")
        requests.post(f"{url}/object/{bucket}/{path}", data=key, headers=headers, timeout=10).raise_for_status()
    storage.objects.copy(bucket, "/lead.txt", "full/.emptyFolderPlaceholder")
    with closing(sqlite3.connect(RUN_DIR / "sandbox" / "sandbox.sqlite3", timeout=30)) as base, base:
        of = "SELECT id FROM sandbox_storage_bucket WHERE identifier = ?"
        base.execute(
            f"UPDATE sandbox_storage_entry SET key = ?, name = ?, sort_name = ? WHERE key = ? AND bucket_id IN ({of})",
            (f"long/{LONG}", LONG, LONG, "long/short.txt", bucket),
        )
    return ["/lead.txt", "//two/deep.txt", "full/.emptyFolderPlaceholder", f"long/{LONG}"]
