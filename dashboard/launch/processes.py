"""Find other processes of Pilothouse that use the database now."""

import time

from django.db import connection

from dashboard.jobs.models import Worker
from dashboard.jobs.worker import dead_workers, live_workers
from dashboard.launch.rules import Refusal

# Connections of Pilothouse's account only, so an administrator's console doesn't count.
OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
  AND application_name <> current_setting('application_name')
"""
# The name of each process, or of a web with all its processes (`dashboard.backends`).
NAMES = """
SELECT count(DISTINCT application_name) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user
  AND application_name <> current_setting('application_name') AND application_name ~ ' [0-9a-f]{8}$'
"""
# The server notices the end of a process a moment later.
PATIENCE_SECONDS = 3.0


def refuse_while_running(why: str) -> None:
    """Raise `Refusal` while a web or worker runs. On SQLite, sees workers only; `start` holds the lock of the data folder."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while others := _connections() if connection.vendor == "postgresql" else _workers():
        if time.monotonic() > deadline:
            what = "open connections to the database" if connection.vendor == "postgresql" else "running workers"
            raise Refusal(f"{why} Other {what}: {others}. Stop every web and worker, then try again.")
        time.sleep(0.2)


def connected() -> int:
    """Return how many other webs and workers are connected to PostgreSQL."""
    return _count(NAMES)


def _connections() -> int:
    return _count(OTHERS)


def _count(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def _workers() -> int:
    if Worker._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 - Django documents it
        return 0
    return live_workers().exclude(pk__in=dead_workers()).count()
