"""Move an installation to another database: everything but sessions, row by row, with its primary keys.

Sealed values are bound to their owners' ids, so ids are kept. Digests depend on the lookup key, which is moved as a row.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.core.management.color import no_style
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Q

from dashboard.jobs.models import Job, State
from dashboard.journal.models import Entry, Outcome
from dashboard.launch import export_file
from dashboard.launch.folder import Folder
from dashboard.launch.prepare import prepare
from dashboard.launch.processes import refuse_while_running
from dashboard.launch.rules import Refusal
from dashboard.launch.tables import BATCH, Row, Table, tables
from dashboard.launch.versions import foreign_database, unapplied
from dashboard.team.models import Person
from dashboard.vault.models import LookupKey

MOST_NAMED = 20


def export(file: Path) -> int:
    """Write everything to a new file; return the number of rows. Raises `Refusal`."""
    if foreign := foreign_database():
        raise Refusal(str(foreign))
    if unapplied():
        raise Refusal(
            "This database is empty or of an earlier version. Check DATA_DIR and DATABASE_URL, or run `manage.py prepare`."
        )
    _require_stopped()
    count = 0

    def lines() -> Iterator[object]:
        nonlocal count
        for table in tables():
            yield table.head
            for row in table.rows():
                count += 1
                yield row

    with _snapshot():
        _require_settled()
        export_file.write(file, lines())
    return count


def import_from(file: Path) -> int:
    """Fill an empty or freshly prepared database in one transaction; return the number of rows. Raises `Refusal`."""
    _require_storable(file)
    _require_stopped()
    _require_unused()
    prepare()
    at, count = "", 0
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for table in tables():
                cursor.execute(f"DELETE FROM {table.quoted}")  # noqa: S608 - a name of ours
            for table, rows in _tables_of(file):
                at = table.label
                while batch := list(islice(rows, BATCH)):
                    cursor.executemany(table.insertion, [table.prepared(row) for row in batch])
                    count += len(batch)
            for statement in connection.ops.sequence_reset_sql(no_style(), [table.model for table in tables()]):
                cursor.execute(statement)
    except (IntegrityError, DataError) as error:
        raise Refusal(f"Nothing was changed. The database refused a row of {at} ({type(error).__name__}).") from error
    return count


def _require_stopped() -> None:
    """Keep `start` from running until this process ends, and refuse while another process runs."""
    if connection.vendor == "sqlite":
        Folder.open(settings.DATA_DIR)
    refuse_while_running("Nothing was changed. Pilothouse has to be stopped.")


def _require_settled() -> None:
    """Refuse while jobs run or outcomes are open: only these rows would tell what happens later."""
    in_doubt = Entry.objects.filter(Q(outcome=Outcome.OPEN) | Q(check_until__isnull=False)).count()
    running = Job.objects.filter(state=State.RUNNING).count()
    if in_doubt or running:
        found = f"Changes without an outcome: {in_doubt}. Running jobs: {running}."
        raise Refusal(f"{found} Start Pilothouse until Activity and Jobs show how they ended, stop it, then try again.")


def _require_unused() -> None:
    """Refuse a database that holds more than `prepare` made: a lookup key, and an owner without a password."""
    present = set(connection.introspection.table_names())
    for table in tables():
        if table.name in present and table.model is not LookupKey and _is_used(table):
            raise Refusal(
                f"Nothing was changed. The database is in use: it holds rows of {table.label}. "
                "Import into an empty database, or into one that only `manage.py prepare` has used."
            )


def _is_used(table: Table) -> bool:
    column = "password" if table.model is Person else "1"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {table.quoted} LIMIT 2")  # noqa: S608 - names of ours
        found = [row[0] for row in cursor.fetchall()]
    is_first_owner = table.model is Person and len(found) == 1 and found[0].startswith("!")
    return bool(found) and not is_first_owner


def _require_storable(file: Path) -> None:
    """Read the whole file; refuse it if it was changed, or if this database can't hold a value."""
    troubles = (trouble for table, rows in _tables_of(file) for row in rows for trouble in table.troubles(row))
    named = list(islice(troubles, MOST_NAMED))
    more = sum(1 for _ in troubles)
    if named:
        lines = [f"Nothing was changed. {connection.display_name} can't hold what the file holds:", *named]
        raise Refusal("\n".join([*lines, f"and {more} more"] if more else lines))


def _tables_of(file: Path) -> Iterator[tuple[Table, Iterator[Row]]]:
    """Yield each table with its rows; take these before the next table. Raises `Refusal`."""
    another = f"Nothing was changed. Another build of this version of Pilothouse wrote {file}."
    lines = export_file.read(file)
    head = next(lines, None)

    def rows() -> Iterator[Row]:
        nonlocal head
        head = None
        for line in lines:
            if not isinstance(line, list):
                head = line
                return
            yield line

    for table in tables():
        if head != table.head:
            raise Refusal(another)
        yield table, rows()
    if head is not None:
        raise Refusal(another)


@contextmanager
def _snapshot() -> Iterator[None]:
    """Read everything as of one moment. SQLite's transactions keep others from writing."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield
