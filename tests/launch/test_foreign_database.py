"""`start` and `prepare` refuse a database that another version of Pilothouse made, and leave it as it is."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dashboard import __version__
from tests.launch.command import OUR_KEYS, ROOT, environment, free_port, prepared
from tests.launch.replicas import NOWHERE

SENTENCE = (
    "Nothing was changed. A build from before November 2026 made this database (migration index.0001_initial); "
    f"this is version {__version__}. Start with an empty DATA_DIR or database, or run the build that made it."
)


@pytest.mark.parametrize("command", ["prepare", "start"])
def test_a_database_of_another_version_is_refused_with_the_remedy(tmp_path: Path, command: str) -> None:
    with closing(sqlite3.connect(tmp_path / "pilothouse.sqlite3")) as database:
        database.execute("CREATE TABLE django_migrations (id integer PRIMARY KEY, app text, name text, applied datetime)")
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('index', '0001_initial', '2026-01-01')")
        database.commit()

    done = _run(command, tmp_path)

    assert done.returncode == 2
    assert SENTENCE in done.stderr
    assert "Traceback" not in done.stderr
    with closing(sqlite3.connect(tmp_path / "pilothouse.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone() == (1,)


def test_a_database_of_this_version_is_taken_again(tmp_path: Path) -> None:
    shutil.copy(prepared() / "pilothouse.sqlite3", tmp_path)
    done = _run("prepare", tmp_path)
    assert done.returncode == 0, done.stderr


def _run(command: str, data: Path) -> "subprocess.CompletedProcess[str]":
    arguments = [command, "--port", str(free_port())] if command == "start" else [command]
    given = environment({**OUR_KEYS, "DATA_DIR": str(data), "MANAGEMENT_URL": NOWHERE})
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=120
    )
