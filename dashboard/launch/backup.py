"""A copy of the SQLite database while everything runs, and back. The keys are not part of it: who has both has the tokens."""

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
    "PostgreSQL makes its own backups, also while Pilothouse runs: pg_dump --format=custom --file={file} <DATABASE_URL>"
)
POSTGRESQL_RESTORE = "Stop Pilothouse, then: pg_restore --clean --if-exists --no-owner --dbname=<DATABASE_URL> {file}"


def backup(file: Path) -> None:
    """Write a consistent copy of the database, readable for this account only. Raises `Refusal`."""
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
            # One file, without a log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        file.unlink()
        raise


def restore(file: Path) -> Path | None:
    """Put the copy in the place of the database; return where the replaced one is kept. Raises `Refusal`."""
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
    """It is whole, it is one of ours, and the keys that are here open what is sealed in it."""
    if not file.is_file():
        raise Refusal(f"There is no file {file}.")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            whole = copy.execute("PRAGMA quick_check").fetchone() == ("ok",)
            sealed = [Sealed(text) for (text,) in copy.execute("SELECT sealed FROM vault_lookupkey")]
    except sqlite3.DatabaseError as error:
        raise Refusal(f"{file} is no backup of Pilothouse.") from error
    if not whole:
        raise Refusal(f"{file} is damaged.")
    if not any(map(_opens, sealed)):
        raise Refusal(f"VAULT_KEYS don't open what is stored in {file}: put the keys of that installation back first.")


def _opens(sealed: Sealed) -> bool:
    with suppress(CannotOpen):
        return bool(sealed.open(owner=lookup.OWNER, purpose=lookup.PURPOSE))
    return False


def _set_aside(target: Path) -> Path | None:
    """Keep the present database under another name, with what its log still holds."""
    if not target.exists():
        return None
    with closing(sqlite3.connect(target)) as present:
        present.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = target.with_suffix(".replaced")
    target.replace(kept)
    for beside in ("-wal", "-shm"):
        Path(f"{target}{beside}").unlink(missing_ok=True)
    return kept
