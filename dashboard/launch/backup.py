"""Back up the running SQLite database, and restore it. Keys are not included."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from django.conf import settings

from dashboard.launch.folder import Folder
from dashboard.launch.rules import Refusal
from dashboard.vault import lookup
from dashboard.vault.seals import CannotOpen, Sealed

POSTGRESQL_BACKUP = (
    "Use PostgreSQL's own backup, which works while Pilothouse runs: pg_dump --format=custom --file={file} <DATABASE_URL>"
)
POSTGRESQL_RESTORE = "Stop Pilothouse, then: pg_restore --clean --if-exists --no-owner --dbname=<DATABASE_URL> {file}"


def backup(file: Path) -> None:
    """Write a consistent copy of the database, readable by this account only. Raises `Refusal`."""
    source = _database(POSTGRESQL_BACKUP, file)
    if not source.exists():
        raise Refusal(f"There is no database at {source}; set DATA_DIR.")
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise Refusal(f"{file} can't be written: {error.strerror}.") from error
    try:
        with closing(sqlite3.connect(source)) as ours, closing(sqlite3.connect(file)) as copy:
            ours.backup(copy)
            # A single file without a write-ahead log.
            copy.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        file.unlink()
        raise


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
    except sqlite3.DatabaseError as error:
        raise Refusal(f"{file} is not a backup of Pilothouse.") from error
    if not whole:
        raise Refusal(f"{file} is damaged.")
    if not any(map(_can_open, sealed)):
        raise Refusal(f"VAULT_KEYS can't decrypt the secrets in {file}. Restore the keys of that installation first.")


def _can_open(sealed: Sealed) -> bool:
    with suppress(CannotOpen):
        return bool(sealed.open(owner=lookup.OWNER, purpose=lookup.PURPOSE))
    return False


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
