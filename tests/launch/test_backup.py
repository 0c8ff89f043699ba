"""A copy is whole, and only what fits is restored."""

import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.launch import command
from tests.launch.command import OUR_KEYS, ROOT, environment

SESSIONS = ("django_session", "usersessions_usersession")


def manage(data: Path, *words: str, **settings: str) -> tuple[int, str]:
    """Exit status and everything that was printed."""
    environ = environment({"DATA_DIR": str(data), **settings})
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A data folder with tables, on keys from the environment."""
    (tmp_path / "data").mkdir()
    shutil.copy(command.prepared() / "pilothouse.sqlite3", tmp_path / "data")
    return tmp_path / "data"


def only(folder: Path) -> Path:
    [file] = folder.iterdir()
    return file


def test_a_copy_is_consistent_while_others_write(prepared: Path, tmp_path: Path) -> None:
    """Two tables that only change together are equal in the copy."""
    database = prepared / "pilothouse.sqlite3"
    stopped = threading.Event()
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript("CREATE TABLE one (x); CREATE TABLE other (x)")

    def write() -> None:
        with closing(sqlite3.connect(database, timeout=30)) as connection:
            while not stopped.wait(0.005):
                with connection:
                    connection.execute("INSERT INTO one VALUES (randomblob(2000))")
                    connection.execute("INSERT INTO other VALUES (randomblob(2000))")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            status, said = manage(prepared, "backup", str(tmp_path / str(number)), **OUR_KEYS)
            assert status == 0, said
    finally:
        stopped.set()
        writer.join(60)
    counts = []
    for number in range(3):
        with closing(sqlite3.connect(only(tmp_path / str(number)))) as copy:
            one, other = copy.execute("SELECT (SELECT count(*) FROM one), (SELECT count(*) FROM other)").fetchone()
            assert one == other
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            counts.append(one)
    assert counts[-1] > counts[0], "something was written meanwhile"


def test_two_backups_of_one_second_are_two(prepared: Path, tmp_path: Path) -> None:
    code = "from pathlib import Path; from dashboard.launch.backup import backup; [backup(Path({!r}), 9) for _ in range(3)]"
    status, said = manage(prepared, "shell", "-v0", "-c", code.format(f"{tmp_path}/copies"), **OUR_KEYS)
    assert status == 0, said
    assert len(list((tmp_path / "copies").iterdir())) == 3


def test_the_replaced_database_is_kept(prepared: Path, tmp_path: Path) -> None:
    assert manage(prepared, "backup", str(tmp_path / "copies"), **OUR_KEYS)[0] == 0
    copy = only(tmp_path / "copies")
    with closing(sqlite3.connect(prepared / "pilothouse.sqlite3")) as connection:
        connection.executescript("CREATE TABLE later (x)")
    status, said = manage(prepared, "restore", str(copy), **OUR_KEYS)
    assert (status, "pilothouse.replaced" in said) == (0, True)
    with closing(sqlite3.connect(prepared / "pilothouse.replaced")) as kept:
        assert kept.execute("SELECT count(*) FROM later").fetchone() == (0,)
    with closing(sqlite3.connect(prepared / "pilothouse.sqlite3")) as now, pytest.raises(sqlite3.OperationalError):
        now.execute("SELECT * FROM later")


def test_nothing_foreign_is_restored(prepared: Path, tmp_path: Path) -> None:
    assert manage(prepared, "backup", str(tmp_path / "copies"), **OUR_KEYS)[0] == 0
    copy = only(tmp_path / "copies")
    before = (prepared / "pilothouse.sqlite3").read_bytes()
    (tmp_path / "text").write_text("no database " * 1000)
    shutil.copy(copy, tmp_path / "cut")
    with (tmp_path / "cut").open("r+b") as file:
        file.truncate(copy.stat().st_size // 2)
    for name in ("text", "cut", "missing"):
        assert manage(prepared, "restore", str(tmp_path / name), **OUR_KEYS)[0] == 2, name
    others = OUR_KEYS | {"VAULT_KEYS": "B" * 42 + "A="}
    status, said = manage(prepared, "restore", str(copy), **others)
    assert (status, "keys of that installation" in said) == (2, True)
    with closing(sqlite3.connect(copy)) as newer:
        newer.execute("UPDATE launch_prepared SET version = '10.8.7'")
        newer.commit()
    status, said = manage(prepared, "restore", str(copy), **OUR_KEYS)
    assert (status, "Version 10.8.7 of Pilothouse prepared this database; this is version" in said) == (2, True)
    assert (prepared / "pilothouse.sqlite3").read_bytes() == before


@pytest.mark.parametrize(("word", "tool"), [("backup", "pg_dump"), ("restore", "pg_restore")])
def test_with_postgresql_it_says_how(tmp_path: Path, word: str, tool: str) -> None:
    status, said = manage(tmp_path, word, "x.dump", DATABASE_URL="postgres://me:hush-hush@127.0.0.1/name", **OUR_KEYS)
    assert (status, tool in said, ".dump" in said, "hush" in said) == (2, True, True, False)
    assert all(f"--exclude-table-data={table}" in said for table in SESSIONS) is (word == "backup")


def test_the_documented_lines_leave_the_sessions_out() -> None:
    lines = [line for line in (ROOT / "README.md").read_text().splitlines() if "pg_dump -" in line]
    assert lines
    assert all(f"--exclude-table-data={table}" in line for line in lines for table in SESSIONS)
