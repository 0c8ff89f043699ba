"""Explain why the database or a file can't be used, with a remedy. Never quotes a password."""

import errno
import socket
from collections.abc import Mapping
from typing import Any, NamedTuple

# Imports the standard library only until a database fails: `start` uses this before Django is set up.


class Trouble(NamedTuple):
    """What is wrong, and the remedy."""

    text: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}"


FULL = "Make room, then try again."
# Phrases of a PostgreSQL server or its driver, in the order of the search.
SAID = {
    "pg_hba.conf": Trouble("The database server doesn't let {user} in from this machine.", "Add a line to its pg_hba.conf."),
    "password": Trouble("The database server refuses the password of {user}.", "Correct it in DATABASE_URL."),
    'role "': Trouble("The database server has no account {user}.", "Create it, or correct the user in DATABASE_URL."),
    'database "': Trouble("The database server has no database {name}.", "Create it, or correct the name in DATABASE_URL."),
    "too many": Trouble("The database server has no connection left.", "Raise max_connections, or stop what holds them."),
    "connection slots": Trouble("The database server has no connection left.", "Raise max_connections, or stop what holds them."),
    "starting up": Trouble("The database server is starting.", "Try again in a moment."),
    "shutting down": Trouble("The database server is stopping.", "Start it, then try again."),
    "certificate": Trouble(
        "The certificate of the database server isn't trusted.", "Check sslmode and sslrootcert in DATABASE_URL."
    ),
    "SSL": Trouble("The database server doesn't speak TLS as DATABASE_URL demands.", "Set up its TLS, or correct sslmode."),
    "invalid": Trouble("DATABASE_URL has an option that PostgreSQL doesn't know.", "Correct what follows its question mark."),
}
# Names of SQLite's result codes, without their undocumented parts.
SQLITE = {
    "SQLITE_FULL": Trouble("The disk of {name} is full.", FULL),
    "SQLITE_CANTOPEN": Trouble("{name} can't be opened.", "Check that its folder exists and that this account may write there."),
    "SQLITE_READONLY": Trouble("{name} can't be written by this account.", "Correct the owner of the file and its folder."),
    "SQLITE_NOTADB": Trouble("{name} is not a database.", "Move it away, or put a backup in its place with `manage.py restore`."),
    "SQLITE_CORRUPT": Trouble("{name} is damaged.", "Put a backup in its place with `manage.py restore`."),
    "SQLITE_BUSY": Trouble("Something else keeps {name} locked.", "End it, then try again."),
    "SQLITE_IOERR": Trouble("{name} can't be read or written.", "Check its disk."),
}
POSTGRESQL = {
    "53100": Trouble("The disk of the database server is full.", FULL),
    "42501": Trouble("{user} may not create tables in the database {name}.", "Make it the owner of the database."),
    "25006": Trouble("The database server allows no writing.", "Let DATABASE_URL name the primary, not a replica."),
}


def of_file(error: OSError, path: object = "") -> Trouble:
    """Explain why a file can't be used. Errors while writing lack the file's name: pass `path`."""
    path = error.filename or path or "a file"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Trouble(f"The disk of {path} is full.", FULL)
    text = f"{path} can't be read or written: {error.strerror or type(error).__name__}."
    return Trouble(text, "Let this account write there, or choose another folder.")


def of_database(error: BaseException, database: Mapping[str, Any]) -> Trouble:
    """Explain a database error. `database` is the entry in DATABASES."""
    named = {"name": database["NAME"], "user": database.get("USER") or "this account"}
    cause: BaseException | None = error
    while cause is not None:
        code, state = getattr(cause, "sqlite_errorname", ""), getattr(cause, "sqlstate", None)
        known = next((trouble for start, trouble in SQLITE.items() if code.startswith(start)), None) or POSTGRESQL.get(
            state or ""
        )
        if known:
            return _filled(known, named)
        cause = cause.__cause__
    if "postgresql" in database["ENGINE"]:
        return _filled(_of_connection(database), named)
    return Trouble(f"The database {database['NAME']} can't be used.", "Check DATABASE_URL and DATA_DIR.")


def _of_connection(database: Mapping[str, Any]) -> Trouble:
    """Find out why no connection can be made, as the pool doesn't say."""
    host, port = str(database.get("HOST") or ""), int(database.get("PORT") or 5432)
    if host and not host.startswith("/"):
        try:
            socket.create_connection((host, port), 3).close()
        except (socket.gaierror, UnicodeError):
            return Trouble(f"The host {host} of the database is not known.", "Correct it in DATABASE_URL, or its entry in DNS.")
        except ConnectionRefusedError:
            return Trouble(f"No database server listens at {host}:{port}.", "Start it, or correct DATABASE_URL.")
        except OSError:
            text = f"The database server at {host}:{port} doesn't answer."
            return Trouble(text, "Check that it runs, and the network and firewall in between.")
    import psycopg  # noqa: PLC0415 - only where a database fails

    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    given = {name: database[entry] for name, entry in names.items() if database.get(entry)}
    more = {name: value for name, value in database.get("OPTIONS", {}).items() if name != "pool"}
    try:
        psycopg.connect(**{**more, **given, "connect_timeout": 3}).close()
    except psycopg.Error as error:
        said = str(error)
        unknown = Trouble("The database server refuses the connection.", "Check DATABASE_URL; the log of the server says why.")
        return next((trouble for words, trouble in SAID.items() if words in said), unknown)
    return Trouble("The database did not answer in time.", "Try again. If it stays so, look at the server's load and log.")


def _filled(trouble: Trouble, named: Mapping[str, object]) -> Trouble:
    return Trouble(trouble.text.format(**named), trouble.remedy)
