"""`python -m tests.launch.fixture 1.0.0`: the databases of this version that later ones are upgraded from (test_upgrades.py).

Fills an installation through the product: an owner with a label, a secret's change and the sandbox's tokens, and a colleague.
Writes `of_1.0.0/pilothouse.sqlite3.xz`, and `pilothouse.sql.xz` by the server that DATABASE_URL names and by pg_dump.
"""

import lzma
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import psycopg

from tests.launch.command import starting
from tests.launch.visitor import Visitor, invited

KEYS = {
    "SECRET_KEY": "a-key-of-a-fixture-and-nothing-else-kkkkkkkkkkkkkkkk",
    "VAULT_KEYS": "8B2aQ0Jd0mAqS0m3r0Vv3mQyq3o1v6oJ2mY1u0J5y1Q=",
}
REF = "mzdbtfkwulqoyxrhnegc"
LABEL, SECRET, COLLEAGUE = "Fixture of an earlier version", "FIXTURE", "colleague@example.org"


def fill(data: Path, **settings: str) -> None:
    """Start with new tables, and do what people would do."""
    with starting(data, **KEYS, **settings) as started:
        link = started.wait_until_ready(120).link
        assert link
        with Visitor(started.address) as owner:
            owner.enter_by(link)
            owner.submit(owner.get(f"/projects/{REF}/label/"), name=LABEL)
            owner.submit(owner.get(f"/projects/{REF}/secrets/new/"), name=SECRET, value="of a fixture")
            invited(owner, COLLEAGUE).session.close()
            assert LABEL in owner.get("/?list=now").text
            assert SECRET in owner.get("/journal/").text
        assert started.stop() == 0


def sqlite(folder: Path) -> bytes:
    fill(folder / "sqlite")
    with closing(sqlite3.connect(folder / "sqlite" / "pilothouse.sqlite3")) as database:
        database.execute("VACUUM INTO ?", [str(folder / "packed")])
    return (folder / "packed").read_bytes()


def postgresql(folder: Path, server: str) -> bytes:
    """Return a dump in plain SQL, without lines that only psql understands."""
    name = f"fixture_{token_hex(4)}"
    tool = shutil.which("pg_dump") or max(Path("/usr/lib/postgresql").glob("*/bin/pg_dump"))
    address = f"{server.rpartition('/')[0]}/{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            fill(folder / "postgresql", DATABASE_URL=address)
            dump = [tool, "--inserts", "--no-owner", "--no-privileges", f"--dbname={address}"]
            lines = subprocess.run(dump, capture_output=True, check=True).stdout.splitlines(keepends=True)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    return b"".join(line for line in lines if not line.startswith(b"\\"))


def main(name: str) -> None:
    target = Path(__file__).parent / f"of_{name}"
    with TemporaryDirectory() as folder:
        packed = {
            "pilothouse.sqlite3.xz": sqlite(Path(folder)),
            "pilothouse.sql.xz": postgresql(Path(folder), os.environ["DATABASE_URL"]),
        }
    target.mkdir()
    for file, content in packed.items():
        (target / file).write_bytes(lzma.compress(content, preset=9))


if __name__ == "__main__":
    main(*sys.argv[1:])
