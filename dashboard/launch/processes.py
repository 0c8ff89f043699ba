"""Whether other processes of Pilothouse use the database at this moment."""

from django.db import connection

from dashboard.jobs.models import Worker
from dashboard.jobs.worker import dead_workers, live_workers
from dashboard.launch.rules import Refusal

# Of the account that Pilothouse uses, so a console of an administrator is none.
OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def refuse_while_running(why: str) -> None:
    """Raise `Refusal` while a web or worker runs. SQLite shows workers only; the lock of the data folder shows `start`."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(OTHERS)
            others = int(cursor.fetchone()[0])
        found = f"{others} other connections to the database are open." if others != 1 else "Another connection is open."
    else:
        others = _workers()
        found = "A worker is running."
    if others:
        raise Refusal(f"{found} {why} Stop every web and worker, then try again.")


def _workers() -> int:
    if Worker._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 - Django documents it
        return 0
    return live_workers().exclude(pk__in=dead_workers()).count()
