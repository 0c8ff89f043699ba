"""A full disk: every statement that writes fails as the database's would."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from django.db import connection

WRITES = ("INSERT", "UPDATE", "DELETE")


def no_space() -> Exception:
    """Return the real error: PostgreSQL's, or SQLite's own from a database that may not grow."""
    if connection.vendor == "postgresql":
        return psycopg.errors.DiskFull("could not extend file: No space left on device")
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("PRAGMA max_page_count = 1")
        try:
            base.execute("CREATE TABLE full (text)")
        except sqlite3.OperationalError as error:
            return error
    raise AssertionError("it grew")


@contextmanager
def full_disk() -> Iterator[None]:
    def fail(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(WRITES):
            return execute(sql, params, many, context)
        with connection.wrap_database_errors:
            raise no_space()

    with connection.execute_wrapper(fail):
        yield
