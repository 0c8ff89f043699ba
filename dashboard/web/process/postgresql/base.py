"""Pooled connections that are checked with a timeout. While the database is known to be unreachable, they fail at once."""

import select
import time
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool, PoolClosed

from dashboard.web.process.postgresql.circuit import CIRCUIT

ANSWER_SECONDS = 2.0


class DatabaseAway(psycopg.OperationalError):
    """The circuit is open, so we didn't wait for a connection."""

    def __init__(self) -> None:
        super().__init__("The database is away.")


class Connection(psycopg.Connection[Any]):
    """A pooled connection. Failing to open one reports to the circuit."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> "Connection":
        try:
            made = super().connect(conninfo, **options)
        except psycopg.OperationalError as error:
            CIRCUIT.failed(_first_line(error), reach=lambda: _reaches(conninfo, options), leave=_leave_pool)
            raise
        CIRCUIT.answered()
        return made


class DatabaseWrapper(base.DatabaseWrapper):
    """The backend. Without a pool, it behaves like Django's."""

    @property
    def pool(self) -> ConnectionPool[Any] | None:
        if options := self.settings_dict["OPTIONS"].get("pool"):
            options.setdefault("connection_class", Connection)
        found: ConnectionPool[Any] | None = super().pool
        return found

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not self.settings_dict["OPTIONS"].get("pool"):
            return super().get_new_connection(conn_params)
        while True:
            if CIRCUIT.is_open:
                raise DatabaseAway
            try:
                connection = super().get_new_connection(conn_params)
            except PoolClosed as error:
                raise DatabaseAway from error
            if self._answers(connection, conn_params):
                return connection
            # The connection was cut since its last use. The pool replaces closed connections that are returned.
            pool = connection._pool  # noqa: SLF001 - as Django does: it may not be today's
            connection.close()
            pool.putconn(connection)

    def _answers(self, connection: psycopg.Connection[Any], conn_params: dict[str, Any]) -> bool:
        """Send an empty query, with a timeout. The pool's own check would wait for its answer forever."""
        try:
            is_answered = _ping(connection)
        except psycopg.OperationalError:
            return False
        if is_answered:
            CIRCUIT.answered()
        else:
            reason = f"it did not answer within {ANSWER_SECONDS:.0f} seconds"
            CIRCUIT.failed(reason, reach=lambda: _reaches("", conn_params), leave=_leave_pool)
        return is_answered


def _ping(connection: psycopg.Connection[Any]) -> bool:
    """Whether an empty query is answered in time."""
    libpq, until = connection.pgconn, time.monotonic() + ANSWER_SECONDS
    libpq.send_query(b"")
    poll = select.poll()
    while (unsent := libpq.flush()) or libpq.is_busy():
        poll.register(libpq.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
            return False
        libpq.consume_input()
    while libpq.get_result():
        pass
    return True


def _reaches(conninfo: str, options: dict[str, Any]) -> bool:
    try:
        with psycopg.connect(conninfo, **options) as connection:
            return _ping(connection)
    except psycopg.OperationalError:
        return False


def _leave_pool() -> None:
    """End all waiting for the pool, and its own attempts. A new pool is made once the circuit has closed."""
    pools: dict[str, ConnectionPool[Any]] = vars(base.DatabaseWrapper)["_connection_pools"]
    for alias in list(pools):
        pools.pop(alias).close(timeout=0)  # Django's `close_pool` would wait for its threads


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
