"""A bucket of 100,000 objects, in many folders and in one, read into the index and searched.

The crawl is compared with listing the same bare; each search is timed among the many folders.
"""

import json
import secrets
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from cryptography.fernet import Fernet

from dashboard.interfaces import StorageInterface, Token
from dashboard.web.text import counted
from tests.bench.table import say, show
from tests.launch.command import ROOT, environment
from tests.sandboxes import start_sandbox, stop_sandbox

BUCKET = "bench"
OBJECTS = 100_000
# Folders of the bucket.
MANY, FLAT = 500, 1
WORDS = ("invoice", "report", "photo", "scan", "Draft")
ENDINGS = {"pdf": "application/pdf", "jpg": "image/jpeg", "png": "image/png", "txt": "text/plain"}
SECONDS_APART = 150

# Seconds, and CPU seconds.
Times = list[tuple[float, float]]


def run(*, rounds: int) -> None:
    for folders in (FLAT, MANY):
        with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
            told = _told(Path(folder), folders, rounds)
        _show_crawls(told["bare"], told["crawls"], folders)
    show(
        f"Searches of {OBJECTS:,} rows: a page of 100, the count and the bytes",
        ["search", "sort", "found", "best ms", "median ms", "p95 ms"],
        [
            [what, sort, f"{found:,}", *(f"{taken * 1000:.0f}" for taken in (min(each), median(each), quantiles(each, n=20)[18]))]
            for what, sort, found, each in told["searches"]
        ],
    )
    say(f"the slowest: {max(median(taken) for *_, taken in told['searches']) * 1000:.0f} ms")


def _show_crawls(bare: Times, crawls: Times, folders: int) -> None:
    """Each crawl is compared with the listing of its round."""
    rows = {"first crawl": (crawls[:1], bare[:1]), "crawl again": (crawls[1:], bare[1:])}
    show(
        f"{counted(folders, 'folder')} with {OBJECTS:,} objects, eight calls side by side, medians",
        ["what", "s", "CPU s", "bare s", "bare CPU s", "of bare", "of bare CPU"],
        [
            [
                what,
                *(f"{median(one[at] for one in times):.2f}" for times in (ours, theirs) for at in (0, 1)),
                *(f"{median(one[at] / other[at] for one, other in zip(ours, theirs, strict=True)):.2f}" for at in (0, 1)),
            ]
            for what, (ours, theirs) in rows.items()
            if ours
        ],
    )


def _told(data: Path, folders: int, rounds: int) -> Any:
    sandbox = start_sandbox(data / "sandbox")
    try:
        project, keys = next((ref, keys) for ref, keys in sandbox.storage_tokens.items() if keys)
        StorageInterface(sandbox.storage(project), Token(keys["service"])).buckets.create(BUCKET)
        _fill(data / "sandbox" / "sandbox.sqlite3", project, folders)
        return _within(data, sandbox.storage(project), keys["service"], rounds)
    finally:
        stop_sandbox(sandbox)


def _within(data: Path, storage: str, token: str, rounds: int) -> Any:
    """Run tests.bench.searching in an environment with its own database."""
    settings = {
        "DATA_DIR": str(data),
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "SECRET_KEY": secrets.token_hex(32),
        "VAULT_KEYS": Fernet.generate_key().decode(),
        "STORAGE_URL": storage,
    }
    command = [sys.executable, "-m", "tests.bench.searching", str(rounds)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(settings), input=token, text=True, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def _fill(database: Path, project: str, folders: int) -> None:
    """Rows of objects without bytes: enough to be listed."""
    each = OBJECTS // folders
    columns = (
        "parent, name, sort_name, kind, leads, descendants, key, object_id, version, file, owner, owner_id, size, etag, "
        "mimetype, cache_control, robots_tag, user_metadata, created_at, updated_at, written_at, bucket_id"
    )
    insert = f"INSERT INTO sandbox_storage_entry ({columns}) VALUES ({', '.join('?' * 22)})"
    with closing(sqlite3.connect(database, timeout=30)) as base, base:
        found = "SELECT id FROM sandbox_storage_bucket WHERE project = ? AND identifier = ?"
        [(bucket_id,)] = base.execute(found, (project, BUCKET)).fetchall()

        def entry(folder: str, number: int | None) -> tuple[object, ...]:
            ids = (uuid4().hex, uuid4().hex, "", "", "")
            if number is None:
                return ("", folder, f"{folder}/", 0, 1, each, None, *ids, 0, *[""] * 4, "{}", 0, 0, 0, bucket_id)
            ending = list(ENDINGS)[number % len(ENDINGS)]
            name = f"{WORDS[number % len(WORDS)]}-{number:06}.{ending}"
            stamp = 1_700_000_000_000 + number * SECONDS_APART * 1000
            told = (number * 7919 % (64 << 20), f'"{number:032x}"', ENDINGS[ending], "no-cache", "", "{}", stamp, stamp, stamp)
            return (f"{folder}/", name, name.lower(), 1, 1, 0, f"{folder}/{name}", *ids, *told, bucket_id)

        for place in range(folders):
            folder = f"{2000 + place % 26}-{place:03}"
            base.execute(insert, entry(folder, None))
            base.executemany(insert, (entry(folder, number) for number in range(place * each, (place + 1) * each)))
