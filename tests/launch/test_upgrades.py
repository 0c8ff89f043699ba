"""Databases of earlier versions are upgraded and signed into; those of newer ones are refused, and both versions named."""

import lzma
import os
import secrets
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from dashboard import __version__
from tests.launch.command import ROOT, environment, prepared, starting
from tests.launch.replicas import NOWHERE
from tests.launch.visitor import Visitor, invited

# Filled by `start` of that commit: an owner with a label, a secret's change and the sandbox's tokens, and a colleague.
OLD = Path(__file__).parent / "of_8fe0e55e"
KEYS = {
    "SECRET_KEY": "a-key-of-a-fixture-and-nothing-else-kkkkkkkkkkkkkkkk",
    "VAULT_KEYS": "8B2aQ0Jd0mAqS0m3r0Vv3mQyq3o1v6oJ2mY1u0J5y1Q=",
}
REF = "mzdbtfkwulqoyxrhnegc"
# A key that can't be opened gets a second row.
NOTED = "SELECT version, (SELECT count(*) FROM vault_lookupkey) FROM launch_prepared"
LABEL = "Fixture of an earlier version"


def assert_everything_is_there(data: Path, **settings: str) -> None:
    """Sign in; what was stored is shown, and something new can be stored."""
    with starting(data, **KEYS, **settings) as started:
        assert "with your password" in started.wait_until_ready(120).welcome
        with Visitor(started.address) as owner:
            owner.sign_in("owner@localhost")
            assert LABEL in owner.get("/projects/").text
            assert "FIXTURE" in owner.get("/journal/").text
            assert "colleague@example.org" in owner.get("/team/").text
            assert LABEL in owner.get(f"/projects/{REF}/").text
            with invited(owner, "new@example.org") as colleague:
                assert colleague.get("/projects/").url.endswith("/projects/")


def test_a_sqlite_database_of_the_first_build_is_upgraded_and_signed_into(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "pilothouse.sqlite3").write_bytes(lzma.decompress((OLD / "pilothouse.sqlite3.xz").read_bytes()))
    assert_everything_is_there(data)
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as database:
        assert database.execute(NOTED).fetchall() == [(__version__, 1)]


@pytest.fixture
def database() -> Iterator[str]:
    """The address of a database of an ordinary account."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL server")
    name = f"upgrade_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_postgresql_database_of_the_first_build_is_upgraded_and_signed_into(database: str, tmp_path: Path) -> None:
    with psycopg.connect(database) as connection:
        connection.execute(lzma.decompress((OLD / "pilothouse.sql.xz").read_bytes()))
    assert_everything_is_there(tmp_path / "data", DATABASE_URL=database)
    with psycopg.connect(database) as connection:
        assert connection.execute(NOTED).fetchall() == [(__version__, 1)]


@pytest.mark.parametrize("command", ["prepare", "doctor"])
def test_a_database_of_a_newer_version_is_refused_and_both_are_named(tmp_path: Path, command: str) -> None:
    data = Path(shutil.copytree(prepared(), tmp_path / "data"))
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as newer:
        newer.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('team', '0999_later', '2027-01-01')")
        newer.execute("UPDATE launch_prepared SET version = '9.8.7'")
        newer.commit()
    given = environment({"DATA_DIR": str(data), "MANAGEMENT_URL": NOWHERE, **{name: os.environ[name] for name in KEYS}})
    done = subprocess.run(
        [sys.executable, "manage.py", command], cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60
    )
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == (1 if command == "doctor" else 2)
    assert (
        f"Version 9.8.7 of Pilothouse prepared this database (migration team.0999_later); this is version {__version__}." in said
    )
    assert "Run version 9.8.7 or a newer one, or restore a backup of this version." in said
