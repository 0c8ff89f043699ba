"""Check which version prepared the database, and why this version can't use it."""

import re

from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from dashboard import __version__
from dashboard.launch.models import Prepared
from dashboard.launch.rules import Refusal
from dashboard.launch.troubles import Trouble


def foreign_database() -> Trouble | None:
    """Return why this version can't use the database: a newer one prepared it, or it has an unknown migration."""
    connection = connections["default"]
    loader = MigrationLoader(connection)
    unknown = sorted(loader.applied_migrations.keys() - loader.disk_migrations.keys() - loader.replacements.keys())
    version = preparer(connection)
    if not unknown:
        return newer(version)
    migration = ".".join(unknown[0])
    if version == __version__:
        text = f"Another build of version {version} of Pilothouse prepared this database (migration {migration})."
        return Trouble(text, "Run that build or a newer version, or restore a backup of this build.")
    if version:
        return _of(version, migration)
    text = f"A build from before November 2026 made this database (migration {migration}); this is version {__version__}."
    return Trouble(text, "Start with an empty DATA_DIR or database, or run the build that made it.")


def refuse_newer() -> None:
    """Raise `Refusal` if a newer version prepared the database. Does nothing if the database doesn't answer.

    Uses a connection outside the pool, closed at once: the pool's threads would not survive a fork.
    """
    connection = connections["default"].copy()
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        version = preparer(connection)
    except DatabaseError:
        return
    finally:
        connection.close()
    if trouble := newer(version):
        raise Refusal(str(trouble))


def newer(version: str) -> Trouble | None:
    """Return why a database prepared by this version is refused; None if that is not newer than ours."""
    return _of(version) if _numbers(version) > _numbers(__version__) else None


def preparer(connection: BaseDatabaseWrapper) -> str:
    """Return the version that prepared the database last; empty if none is stored."""
    table = Prepared._meta.db_table  # noqa: SLF001 - Django documents it
    with connection.cursor() as cursor:
        if table not in connection.introspection.table_names(cursor):
            return ""
        cursor.execute(f"SELECT version FROM {table}")  # noqa: S608 - a name of ours
        row = cursor.fetchone()
    return str(row[0]) if row else ""


def unapplied() -> list[Migration]:
    """Return the migrations that are not applied yet."""
    executor = MigrationExecutor(connections["default"])
    return [migration for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def note_version() -> None:
    """Store this version's name in the database."""
    if preparer(connections["default"]) != __version__:
        Prepared.objects.update_or_create(pk=1, defaults={"version": __version__})


def _of(version: str, migration: str = "") -> Trouble:
    by = f" (migration {migration})" if migration else ""
    text = f"Version {version} of Pilothouse prepared this database{by}; this is version {__version__}."
    return Trouble(text, f"Run version {version} or a newer one, or restore a backup of this version.")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
