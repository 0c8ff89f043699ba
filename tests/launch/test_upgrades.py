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
from tests.launch.command import ROOT, environment, free_port, prepared, refused, starting
from tests.launch.fixture import COLLEAGUE, KEYS, LABEL, REF, SECRET
from tests.launch.replicas import GUNICORN, NOWHERE, Replica
from tests.launch.test_backup import manage
from tests.launch.visitor import Visitor, invited

# Filled by `start` of that commit or version (`tests.launch.fixture`).
FIXTURES = sorted(Path(__file__).parent.glob("of_*"))
FIRST = Path(__file__).parent / "of_8fe0e55e"
# A key that can't be opened gets a second row.
NOTED = "SELECT version, (SELECT count(*) FROM vault_lookupkey) FROM launch_prepared"
# A worker of the version before, on another machine.
BEATING = "VALUES ('', 1, '', datetime('now'), datetime('now', '+1 hour'))"


def assert_everything_is_there(data: Path, *, is_first: bool, **settings: str) -> None:
    """Sign in, which everybody must do anew after the first build; what was stored is shown, and something new can be stored."""
    with starting(data, **KEYS, **settings) as started:
        said = started.wait_until_ready(120).welcome
        assert "with your password" in said
        assert ("This upgrade signs everybody out once." in said) == is_first
        with Visitor(started.address) as owner:
            owner.sign_in("owner@localhost")
            assert LABEL in owner.get("/?list=now").text
            assert SECRET in owner.get("/journal/").text
            assert COLLEAGUE in owner.get("/people/").text
            assert LABEL in owner.get(f"/projects/{REF}/").text
            with invited(owner, "new@example.org") as colleague:
                assert colleague.get("/organizations/").url.endswith("/organizations/")


def unpacked(fixture: Path, data: Path) -> Path:
    """A data folder with the SQLite database of an earlier version."""
    data.mkdir(mode=0o700)
    (data / "pilothouse.sqlite3").write_bytes(lzma.decompress((fixture / "pilothouse.sqlite3.xz").read_bytes()))
    return data


@pytest.mark.exhaustive
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_sqlite_database_of_an_earlier_version_is_upgraded_and_signed_into(fixture: Path, tmp_path: Path) -> None:
    data = unpacked(fixture, tmp_path / "data")
    assert_everything_is_there(data, is_first=fixture == FIRST)
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as database:
        assert database.execute(NOTED).fetchall() == [(__version__, 1)]


def test_an_upgrade_that_needs_it_waits_until_the_version_before_is_stopped(tmp_path: Path) -> None:
    data = unpacked(FIRST, tmp_path / "data")
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as database:
        database.execute("INSERT INTO jobs_worker (pid_namespace, pid, process_start, started_at, heartbeat_at) " + BEATING)
        database.commit()
    status, text = manage(data, "prepare", MANAGEMENT_URL=NOWHERE, **KEYS)
    assert (status, "Other running workers: 1. Stop every web and worker" in text) == (2, True)
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'launch_prepared'").fetchone() == (0,)


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


def restore(fixture: Path, database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute(lzma.decompress((fixture / "pilothouse.sql.xz").read_bytes()))


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_postgresql_database_of_an_earlier_version_is_upgraded_and_signed_into(
    fixture: Path, database: str, tmp_path: Path
) -> None:
    restore(fixture, database)
    assert_everything_is_there(tmp_path / "data", is_first=fixture == FIRST, DATABASE_URL=database)
    with psycopg.connect(database) as connection:
        assert connection.execute(NOTED).fetchall() == [(__version__, 1)]


def test_a_postgresql_database_waits_for_those_who_use_it_and_for_its_own_keys(database: str, tmp_path: Path) -> None:
    restore(FIRST, database)
    port = str(free_port())
    with psycopg.connect(database):
        status, _, text = refused("--data", str(tmp_path / "busy"), "--port", port, DATABASE_URL=database, **KEYS)
    assert (status, "Other open connections to the database: 1." in text) == (2, True)
    # A folder without the keys: those that `start` makes are not the ones of this database.
    status, _, text = refused("--data", str(tmp_path / "other"), "--port", port, DATABASE_URL=database)
    assert (status, "Bring back the keys that it was used with." in text) == (2, True)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regclass('launch_prepared'), count(*) FROM vault_lookupkey").fetchone() == (None, 1)


@pytest.fixture
def old_code(tmp_path: Path) -> Path:
    """The commit of the fixture, from this repository's history."""
    folder = tmp_path / "old"
    folder.mkdir()
    archive = subprocess.run(["git", "archive", "8fe0e55e"], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip(f"the history here lacks 8fe0e55e: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "x"], cwd=folder, input=archive.stdout, check=True)
    return folder


def test_the_version_before_serves_on_tables_that_were_upgraded(old_code: Path, tmp_path: Path) -> None:
    """A sign-in page, a sign-in, a project's page and a new colleague, by the code of the first build."""
    data = unpacked(FIRST, tmp_path / "data")
    assert manage(data, "prepare", MANAGEMENT_URL=NOWHERE, **KEYS)[0] == 0
    given = environment({"DATA_DIR": str(data), "MANAGEMENT_URL": NOWHERE, "STATIC_ROOT": str(tmp_path / "static"), **KEYS})
    subprocess.run([sys.executable, "manage.py", "prepare", "--static-only"], cwd=old_code, env=given, check=True)
    web = Replica(given, root=old_code)
    try:
        web.start()
        with Visitor(web.address) as owner:
            assert "Sign in" in owner.get("/account/login/").text
            owner.sign_in("owner@localhost")
            assert LABEL in owner.get(f"/projects/{REF}/").text
            assert SECRET in owner.get("/journal/").text
            with invited(owner, "new@example.org") as colleague:
                assert colleague.get("/organizations/").url.endswith("/organizations/")
    finally:
        web.end()


ENTRANCES = {"prepare": 2, "doctor": 1, "work": 2, "web": 2, "start": 2}


def said(entrance: str, data: Path, status: int) -> str:
    """What an entrance says of the database in a data folder."""
    more = ["--port", str(free_port())] if entrance == "start" else []
    command = [*GUNICORN, "--bind", f"127.0.0.1:{free_port()}"] if entrance == "web" else [sys.executable, "manage.py", entrance]
    given = environment({"DATA_DIR": str(data), "MANAGEMENT_URL": NOWHERE, **{name: os.environ[name] for name in KEYS}})
    done = subprocess.run([*command, *more], cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    return " ".join((done.stdout + done.stderr).replace("→", " ").split())


@pytest.mark.exhaustive
@pytest.mark.parametrize(("entrance", "status"), ENTRANCES.items())
def test_a_database_of_a_newer_version_is_refused_and_both_are_named(tmp_path: Path, entrance: str, status: int) -> None:
    """Also one that needed no migration, and by each process that would use it."""
    data = Path(shutil.copytree(prepared(), tmp_path / "data"))
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as newer:
        newer.execute("UPDATE launch_prepared SET version = '10.8.7'")
        newer.commit()
    words = f"Version 10.8.7 of Pilothouse prepared this database; this is version {__version__}. "
    assert words + "Run version 10.8.7 or a newer one, or restore a backup of this version." in said(entrance, data, status)
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as newer:
        assert newer.execute("SELECT version FROM launch_prepared").fetchall() == [("10.8.7",)]
        newer.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('team', '0999_later', '2027-01-01')")
        newer.commit()
    if entrance in {"prepare", "doctor"}:
        assert words.replace(";", " (migration team.0999_later);") in said(entrance, data, status)


def test_a_database_that_other_keys_sealed_is_refused_until_they_are_called_lost(tmp_path: Path) -> None:
    data = Path(shutil.copytree(prepared(), tmp_path / "data"))
    others = {**{name: os.environ[name] for name in KEYS}, "VAULT_KEYS": KEYS["VAULT_KEYS"], "MANAGEMENT_URL": NOWHERE}
    status, text = manage(data, "prepare", **others)
    assert (status, "Bring back the keys that it was used with." in text) == (2, True)
    assert rows(data, "vault_lookupkey") == 1
    assert manage(data, "prepare", "--lost-keys", **others)[0] == 0
    assert rows(data, "vault_lookupkey") == 2
    assert manage(data, "prepare", **others)[0] == 0


def rows(data: Path, table: str) -> int:
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
