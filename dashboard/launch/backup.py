"""Back up the running SQLite database, and restore it. Keys are not included."""

import os
import sqlite3
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from dashboard.launch.folder import Folder
from dashboard.launch.rules import Refusal
from dashboard.launch.troubles import of_file
from dashboard.launch.versions import newer
from dashboard.vault import lookup
from dashboard.vault.seals import Sealed

# A backup must not contain sessions that somebody could use: these tables are restored empty.
LEFT_OUT = ("django_session", "usersessions_usersession")
_EXCLUDED = " ".join(f"--exclude-table-data={table}" for table in LEFT_OUT)
# `DROP OWNED` empties the database without a superuser, so nothing of another version is left.
POSTGRESQL_BACKUP = f"""Use PostgreSQL's own backup, which works while Pilothouse runs:
pg_dump --format=custom --no-owner --no-privileges {_EXCLUDED} --file={{file}} "$DATABASE_URL\""""
POSTGRESQL_RESTORE = """Stop Pilothouse, then:
psql --command="DROP OWNED BY CURRENT_USER" "$DATABASE_URL"
pg_restore --no-owner --no-privileges --exit-on-error --single-transaction --dbname="$DATABASE_URL" {file}"""
NAME = "pilothouse-{time:%Y%m%dT%H%M%SZ}.sqlite3"


def backup(folder: Path, keep: int) -> Path:
    """Write a consistent copy of the database, readable by this account only, and delete all but the latest `keep`.

    Sessions are left out. Raises `Refusal`.
    """
    source = _database(POSTGRESQL_BACKUP, folder / "pilothouse.dump")
    if not source.exists():
        raise Refusal(f"There is no database at {source}; set DATA_DIR.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while (file := _reserve(folder)) is None:
            time.sleep(0.1)
    except OSError as error:
        raise Refusal(str(of_file(error, folder))) from error
    part = file.with_suffix(".part")
    try:
        with closing(sqlite3.connect(source)) as ours, closing(sqlite3.connect(part)) as copy:
            ours.backup(copy)
            copy.execute("PRAGMA secure_delete = ON")
            for table in LEFT_OUT:
                copy.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of ours
            copy.commit()
            # A single file without a write-ahead log.
            copy.execute("PRAGMA journal_mode = DELETE")
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    for old in sorted(folder.glob("pilothouse-*Z.sqlite3"))[:-keep]:
        old.unlink()
    return file


def _reserve(folder: Path) -> Path | None:
    """Return a name that no other backup of this second has or is about to take; None if there is none."""
    file = folder / NAME.format(time=datetime.now(UTC))
    part = file.with_suffix(".part")
    with suppress(FileExistsError):
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        if not file.exists():
            return file
        part.unlink()
    return None


def restore(file: Path) -> Path | None:
    """Replace the database by a backup; return where the old one is kept. Raises `Refusal`."""
    target = _database(POSTGRESQL_RESTORE, file)
    Folder.open(settings.DATA_DIR)  # locked until this process ends
    _require_usable(file)
    aside = target.with_suffix(".restoring")
    aside.unlink(missing_ok=True)
    os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(file)) as copy, closing(sqlite3.connect(aside)) as ours:
        copy.backup(ours)
    kept = _set_aside(target)
    aside.rename(target)
    return kept


def _database(advice: str, file: Path) -> Path:
    """Return the SQLite file, or raise `Refusal` with what to do instead."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3":
        raise Refusal(advice.format(file=file))
    return Path(str(database["NAME"]))


def _require_usable(file: Path) -> None:
    """Check that the file is intact, is a Pilothouse database, and fits the present keys."""
    if not file.is_file():
        raise Refusal(f"There is no file {file}.")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            whole = copy.execute("PRAGMA quick_check").fetchone() == ("ok",)
            sealed = [Sealed(text) for (text,) in copy.execute("SELECT sealed FROM vault_lookupkey")]
            named = copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'launch_prepared'").fetchone()
            row = copy.execute("SELECT version FROM launch_prepared").fetchone() if named else None
    except sqlite3.DatabaseError as error:
        raise Refusal(f"{file} is not a backup of Pilothouse.") from error
    if not whole:
        raise Refusal(f"{file} is damaged.")
    if trouble := newer(row[0] if row else ""):
        raise Refusal(f"Nothing was changed. {trouble}")
    if not any(map(lookup.opens, sealed)):
        raise Refusal(f"VAULT_KEYS can't decrypt the secrets in {file}. Restore the keys of that installation first.")


def _set_aside(target: Path) -> Path | None:
    """Keep the current database under another name, including its write-ahead log."""
    if not target.exists():
        return None
    with closing(sqlite3.connect(target)) as present:
        present.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = target.with_suffix(".replaced")
    target.replace(kept)
    for beside in ("-wal", "-shm"):
        Path(f"{target}{beside}").unlink(missing_ok=True)
    return kept
