"""Backup and restore as README.md says: its own lines, from a fresh installation to a sign-in on an empty machine."""

import os
import re
import secrets
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.launch import proxy
from tests.launch.command import ROOT, environment, starting
from tests.launch.visitor import Visitor

SESSIONS = ("django_session", "usersessions_usersession")
TOOLS = shutil.which("pg_restore") or next(Path("/usr/lib/postgresql").glob("*/bin/pg_restore"), None)


def documented() -> list[list[str]]:
    """The lines of each block: SQLite's, PostgreSQL's and those of Compose, each to back up and to restore."""
    section = (ROOT / "README.md").read_text().partition("### Backup")[2].partition("\n### ")[0]
    return [block.strip().splitlines() for block in re.findall(r"```\n(.*?)```", section, re.DOTALL)]


def run(lines: list[str], folder: Path, **settings: str) -> str:
    """Run lines as a person would type them, with our Python and with the client programs of PostgreSQL."""
    path = os.pathsep.join([str(Path(str(TOOLS)).parent), os.environ["PATH"]])
    python = f"{sys.executable} {ROOT}/manage.py"
    script = "\n".join(["set -e", *lines]).replace(".venv/bin/python manage.py", python)
    given = {**environment(settings), "PATH": path}
    done = subprocess.run(["/bin/sh", "-c", script], cwd=folder, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_backup_of_sqlite_brings_an_installation_to_an_empty_machine(tmp_path: Path) -> None:
    save, restore = documented()[:2]
    copies, first, second = tmp_path / "copies", tmp_path / "first", tmp_path / "second"
    save = [line.replace("/backups", str(copies)) for line in save]
    with starting(first) as started:
        link = started.wait_until_ready().link
        assert link
        with Visitor(started.address) as owner:
            owner.enter_by(link)
        for old in range(15):
            (copies / f"pilothouse-20260101T0000{old:02}Z.sqlite3").parent.mkdir(exist_ok=True)
            (copies / f"pilothouse-20260101T0000{old:02}Z.sqlite3").touch()
        for _ in range(2):  # a second night
            assert "vault_keys" in run(save, tmp_path, DATA_DIR=str(first))
    assert len(list(copies.iterdir())) == 14
    newest = max(copies.iterdir())
    assert stat.S_IMODE(newest.stat().st_mode) == 0o600
    assert [(rows(first / "pilothouse.sqlite3", table), rows(newest, table)) for table in SESSIONS] == [(1, 0), (1, 0)]
    restore = [re.sub(r"/backups/\S+", str(newest), line) for line in restore]
    second.mkdir()
    with pytest.raises(AssertionError, match="bring back the key"):
        run(restore, tmp_path, DATA_DIR=str(second))
    for key in ("secret_key", "vault_keys"):
        assert (first / key).read_bytes().strip() not in newest.read_bytes()
        shutil.copy(first / key, second / key)
    run(restore, tmp_path, DATA_DIR=str(second))
    with starting(second) as again:
        assert "with your password" in again.wait_until_ready().welcome
        with pytest.raises(AssertionError, match="Stop it first"):
            run(restore, tmp_path, DATA_DIR=str(second))
        with Visitor(again.address) as owner:
            owner.sign_in("owner@localhost")
            assert 'href="/projects/' in owner.get("/?list=now").text


def rows(database: Path, table: str) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.fixture
def database() -> Iterator[tuple[str, str]]:
    """The addresses of two empty databases of an ordinary account."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres") or not TOOLS:
        pytest.skip("DATABASE_URL names no PostgreSQL server, or its programs are not installed")
    name, parts = f"account_{secrets.token_hex(4)}", urlsplit(server)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'hush'")
        for number in (1, 2):
            connection.execute(f"CREATE DATABASE {name}_{number} OWNER {name}")
        where = f"postgres://{name}:hush@{parts.hostname}:{parts.port or 5432}/{name}"
        yield f"{where}_1", f"{where}_2"
        for number in (1, 2):
            connection.execute(f"DROP DATABASE {name}_{number} WITH (FORCE)")
        connection.execute(f"DROP ROLE {name}")


def test_a_dump_of_postgresql_brings_an_installation_to_an_empty_machine(database: tuple[str, str], tmp_path: Path) -> None:
    _, _, save, restore, save_by_compose, restore_by_compose = documented()
    first, second = database
    keys = {"MANAGEMENT_URL": "http://127.0.0.1:9"}
    with starting(tmp_path / "data", DATABASE_URL=first, **keys) as started:
        link = started.wait_until_ready().link
        assert link
        with Visitor(started.address) as owner:
            owner.enter_by(link)
        run(save, tmp_path, DATABASE_URL=first)
    (tmp_path / "second").mkdir()
    for key in ("secret_key", "vault_keys"):
        shutil.copy(tmp_path / "data" / key, tmp_path / "second" / key)
    for _ in range(2):  # into an empty database, and into one that is in use
        run(restore, tmp_path, DATABASE_URL=second)
    with starting(tmp_path / "second", DATABASE_URL=second, **keys) as again:
        assert "with your password" in again.wait_until_ready().welcome
        with Visitor(again.address) as owner:
            owner.sign_in("owner@localhost")
            assert owner.get("/organizations/").url.endswith("/organizations/")
    with psycopg.connect(first) as connection:
        connection.execute("UPDATE team_person SET is_active = false")
    # The lines of Compose, with the container's account and socket in place of Compose.
    in_place = [line for line in (*save_by_compose, *restore_by_compose) if " exec -T database " in line]
    assert len(in_place) == 3
    parts, name = urlsplit(first), urlsplit(first).username
    container = {"PGHOST": str(parts.hostname), "PGPORT": str(parts.port), "PGPASSWORD": "hush"}
    lines = [
        re.sub(r"(-U )pilothouse", rf"\g<1>{name}", line.replace("docker compose exec -T database ", "")) for line in in_place
    ]
    run([re.sub(r"pilothouse (?=>)", f"{name}_2 ", lines[0])], tmp_path, **container)
    run([re.sub(r"(=| )pilothouse(?=$| <)", rf"\g<1>{name}_1", line) for line in lines[1:]], tmp_path, **container)
    with starting(tmp_path / "second", DATABASE_URL=first, **keys) as again:
        assert "with your password" in again.wait_until_ready().welcome
        with Visitor(again.address) as owner:
            owner.sign_in("owner@localhost")
            assert owner.get("/organizations/").url.endswith("/organizations/")


def test_the_lines_of_compose_name_its_services_and_stop_what_uses_the_database() -> None:
    services = proxy.composition()["services"]
    lines = re.findall(r"docker compose (\w+)([^`<>\n]*)", (ROOT / "README.md").read_text())
    named = {
        "stop": lambda words: words,
        "up": lambda words: words,
        "exec": lambda words: words[:1],
        "run": lambda words: words[:1],
        "build": lambda words: words,
    }
    assert {verb for verb, _ in lines} <= named.keys()
    for verb, rest in lines:
        words = [word for word in shlex.split(rest) if not word.startswith("-")]
        assert set(named[verb](words)) <= services.keys(), (verb, rest)
    users = {name for name, service in services.items() if "DATABASE_URL" in service.get("environment", {})} - {"prepare"}
    assert users == {"web", "worker"}
    *_, save, restore = documented()
    assert [line.split()[2] for line in (*save, *restore)] == ["exec", "stop", "up", "exec", "exec", "up"]
    assert set(restore[0].split()[3:]) == users
    assert restore[1].split()[2:] == ["up", "--wait", "database"]
    assert restore[-1] == "docker compose up -d"
