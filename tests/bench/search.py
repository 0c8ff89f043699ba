"""A bucket of 100,000 objects read into the index and searched: the crawl against listing the same bare, and each search."""

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
from tests.bench.table import say, show
from tests.launch.command import ROOT, environment
from tests.sandboxes import start_sandbox, stop_sandbox

BUCKET = "bench"
FOLDERS, EACH = 500, 200
OBJECTS = FOLDERS * EACH
WORDS = ("invoice", "report", "photo", "scan", "Draft")
ENDINGS = {"pdf": "application/pdf", "jpg": "image/jpeg", "png": "image/png", "txt": "text/plain"}
SECONDS_APART = 150


def run(*, rounds: int) -> None:
    with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        data = Path(folder)
        sandbox = start_sandbox(data / "sandbox")
        try:
            project, keys = next((ref, keys) for ref, keys in sandbox.storage_tokens.items() if keys)
            StorageInterface(sandbox.storage(project), Token(keys["service"])).buckets.create(BUCKET)
            _fill(data / "sandbox" / "sandbox.sqlite3", project)
            told = _within(data, sandbox.storage(project), keys["service"], rounds)
        finally:
            stop_sandbox(sandbox)
    bare, crawls = median(told["bare"]), told["crawls"]
    rows = [["bare listing", bare], ["first crawl", crawls[0]], *([["crawl again", median(crawls[1:])]] if crawls[1:] else [])]
    show(
        f"{FOLDERS} folders of {EACH} objects, eight calls side by side",
        ["what", "s", "objects/s", "of bare"],
        [[what, f"{taken:.1f}", f"{OBJECTS / taken:,.0f}", f"{taken / bare:.2f}"] for what, taken in rows],
    )
    show(
        f"Searches of {OBJECTS:,} rows: a page of 100, the count and the bytes",
        ["search", "sort", "found", "best ms", "median ms", "p95 ms"],
        [
            [what, sort, f"{found:,}", *(f"{taken * 1000:.0f}" for taken in (min(each), median(each), quantiles(each, n=20)[18]))]
            for what, sort, found, each in told["searches"]
        ],
    )
    say(f"the slowest: {max(median(taken) for *_, taken in told['searches']) * 1000:.0f} ms")


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


def _fill(database: Path, project: str) -> None:
    """Rows of objects without bytes: enough to be listed."""
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
                return ("", folder, f"{folder}/", 0, 1, EACH, None, *ids, 0, *[""] * 4, "{}", 0, 0, 0, bucket_id)
            ending = list(ENDINGS)[number % len(ENDINGS)]
            name = f"{WORDS[number % len(WORDS)]}-{number:06}.{ending}"
            stamp = 1_700_000_000_000 + number * SECONDS_APART * 1000
            told = (number * 7919 % (64 << 20), f'"{number:032x}"', ENDINGS[ending], "no-cache", "", "{}", stamp, stamp, stamp)
            return (f"{folder}/", name, name.lower(), 1, 1, 0, f"{folder}/{name}", *ids, *told, bucket_id)

        for place in range(FOLDERS):
            folder = f"{2000 + place % 26}-{place:03}"
            base.execute(insert, entry(folder, None))
            base.executemany(insert, (entry(folder, number) for number in range(place * EACH, (place + 1) * EACH)))
