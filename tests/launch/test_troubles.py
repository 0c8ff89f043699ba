"""A disk that is full, a wrong password, an unknown host, a server that is down: each has a sentence and a remedy."""

import os
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from django.db import DatabaseError, connection

from dashboard.launch.troubles import of_database
from tests.launch.command import ROOT, environment, free_port, refused
from tests.launch.replicas import KEYS, NOWHERE

# Requests for TLS and for encryption by GSSAPI.
SECURED = (80877103, 80877104)
# What each entrance says of a server; one is asked at its port.
SERVERS = {
    "127.0.0.1:9": "No database server listens at 127.0.0.1:9. Start it, or correct DATABASE_URL.",
    "no-such-host.invalid:5432": "The host no-such-host.invalid of the database is not known. Correct it in DATABASE_URL,",
    "127.0.0.1:{port}": "The database server refuses the password of pilothouse. Correct it in DATABASE_URL.",
}


def said(entrance: str, data: Path, url: str) -> str:
    """What an entrance says of a database; it shows no password and no traceback."""
    given = environment({**KEYS, "MANAGEMENT_URL": NOWHERE, "DATA_DIR": str(data), "DATABASE_URL": url})
    more = ["--port", str(free_port())] if entrance == "start" else []
    command = [sys.executable, "manage.py", entrance, *more]
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60)
    everything = done.stdout + done.stderr
    assert done.returncode == (1 if entrance == "doctor" else 2)
    assert "Traceback" not in everything
    assert "hush" not in everything
    return " ".join(everything.replace("→", " ").split())


def trouble(**database: object) -> str:
    entry = {"ENGINE": "django.db.backends.postgresql", "NAME": "team", "USER": "pilothouse", "PASSWORD": "hush-hush", **database}
    text = str(of_database(DatabaseError("couldn't get a connection after 5.00 sec"), entry))
    assert "hush" not in text
    return text


def test_an_unknown_host_is_named() -> None:
    assert trouble(HOST="no-such-host.invalid").startswith("The host no-such-host.invalid of the database is not known.")


@pytest.mark.django_db
class TestServer:
    """A real PostgreSQL server, where DATABASE_URL names one."""

    @pytest.fixture
    def server(self) -> dict[str, object]:
        if connection.vendor != "postgresql":
            pytest.skip("DATABASE_URL names no PostgreSQL server")
        return {name: connection.settings_dict[name] for name in ("HOST", "PORT")}

    def test_a_database_and_an_account_that_are_not_there_are_named(self, server: dict[str, object]) -> None:
        owner = {"USER": connection.settings_dict["USER"], "PASSWORD": connection.settings_dict["PASSWORD"]}
        assert trouble(**server, **owner, NAME="nothing").startswith("The database server has no database nothing.")
        assert trouble(**server, USER="nobody-here").startswith("The database server has no account nobody-here.")

    def test_an_option_and_a_demand_for_tls_are_explained(self, server: dict[str, object]) -> None:
        assert "an option that PostgreSQL doesn't know" in trouble(**server, OPTIONS={"pool": {}, "sslmod": "require"})
        assert "doesn't speak TLS" in trouble(**server, OPTIONS={"sslmode": "require"})


@contextmanager
def refusing_passwords() -> Iterator[int]:
    """The port of a server that speaks as much of PostgreSQL's protocol as refusing a password takes."""
    told = b'SFATAL\0C28P01\0Mpassword authentication failed for user "pilothouse"\0\0'

    def serve(client: socket.socket) -> None:
        with suppress(OSError, struct.error), client:
            while True:
                length, code = struct.unpack("!II", client.recv(8))
                if code not in SECURED:
                    break
                client.sendall(b"N")
            client.recv(length - 8)
            client.sendall(b"R" + struct.pack("!II", 8, 3))
            client.recv(100)
            client.sendall(b"E" + struct.pack("!I", len(told) + 4) + told)

    def accept() -> None:
        with suppress(OSError):
            while True:
                serve(listener.accept()[0])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=accept)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@pytest.mark.exhaustive
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("entrance", ["start", "prepare", "doctor"])
def test_each_entrance_names_what_keeps_it_from_the_database(tmp_path: Path, entrance: str, server: str) -> None:
    with refusing_passwords() as port:
        text = said(entrance, tmp_path, f"postgres://pilothouse:hush-hush@{server.format(port=port)}/team")
    assert SERVERS[server] in text


def test_a_password_that_is_refused_is_named() -> None:
    with refusing_passwords() as port:
        text = trouble(HOST="127.0.0.1", PORT=port)
    assert text == "The database server refuses the password of pilothouse. Correct it in DATABASE_URL."


def test_a_server_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "create_connection", lambda *_: (_ for _ in ()).throw(TimeoutError()))
    assert "The database server at db.example:5432 doesn't answer." in trouble(HOST="db.example")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount") or ""
    if (
        os.geteuid()
        or not mount
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=False).returncode
    ):
        pytest.skip("this account may not mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_full_is_named_by_start(small_disk: Path) -> None:
    (small_disk / "filling").write_bytes(bytes(256 << 10))
    status, _, text = refused("--data", str(small_disk), "--port", str(free_port()))
    assert (status, text) == (2, f"pilothouse: The disk of {small_disk}/secret_key is full. Make room, then try again.\n")


def test_a_disk_that_fills_while_preparing_is_named(small_disk: Path) -> None:
    text = said("prepare", small_disk, "")
    assert f"The disk of {small_disk}/pilothouse.sqlite3 is full. Make room, then try again." in text


def test_each_trouble_of_sqlite_is_named_with_the_remedy(tmp_path: Path) -> None:
    file = tmp_path / "pilothouse.sqlite3"
    entry = {"ENGINE": "django.db.backends.sqlite3", "NAME": file}
    with closing(sqlite3.connect(file)) as other, closing(sqlite3.connect(file, timeout=0)) as ours:
        other.execute("BEGIN EXCLUSIVE")
        assert f"Something else keeps {file} locked." in str(of_database(failure(ours), entry))
    file.write_text("something else " * 100)
    with closing(sqlite3.connect(file)) as ours:
        assert f"{file} is not a database." in str(of_database(failure(ours), entry))


def failure(ours: sqlite3.Connection) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as failed:
        ours.execute("CREATE TABLE x (y)")
    return failed.value
