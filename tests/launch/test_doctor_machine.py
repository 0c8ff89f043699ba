"""`manage.py doctor` on what surrounds the settings: names that are nearly settings, files, disks, ports, connections."""

import socket
from contextlib import ExitStack
from pathlib import Path
from tempfile import gettempdir

import psycopg
import pytest
from django.db import connection
from pytest_django import Settings

from dashboard.jobs.worker import register
from dashboard.launch import configuration, diagnosis, prepare
from tests.interfaces.servers import answer, serving
from tests.launch.command import collected, free_port
from tests.launch.replicas import KEYS, NOWHERE
from tests.launch.test_doctor import found


def test_a_name_that_is_nearly_a_setting_is_warned_of(tmp_path: Path) -> None:
    given = {**KEYS, "MANAGEMENT_URL": NOWHERE, "XDG_DATA_DIRS": "x", "SSL_CERT_DIR": "x", "DATABASE_PASSWORD": "x"}
    [fine] = configuration.settings(given, tmp_path)
    assert fine.verdict == "ok"
    near = {"MANAGMENT_URL": "MANAGEMENT_URL", "share_colour": "SHARE_COLOR", "VAULT_KEY_FILE": "VAULT_KEYS_FILE"}
    findings = list(configuration.settings(given | dict.fromkeys(near, "x"), tmp_path))
    assert len(findings) == len(near)
    for name, meant in near.items():
        found(findings, "warning", f"{name} is not a setting", meant)


@pytest.mark.parametrize("name", ["SECRET_KEY_FILE", "SHARE_LOGO", "SSL_CERT_FILE", "DATABASE_URL"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    missing = "/nowhere/at/all"
    value = f"postgres://db.example/name?sslrootcert={missing}" if name == "DATABASE_URL" else missing
    found(configuration.settings({**KEYS, "MANAGEMENT_URL": NOWHERE, name: value}, tmp_path), "problem", name, "can't be read")


def test_static_files_that_are_missing_or_old_are_a_problem(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STATIC_ROOT = tmp_path
    found(diagnosis.files(), "problem", str(tmp_path), "manage.py prepare")
    settings.STATIC_ROOT = collected()
    found(diagnosis.files(), "ok", "of this version")
    monkeypatch.setattr(prepare, "_static_fingerprint", lambda: "of another version")
    found(diagnosis.files(), "problem", "missing or those of another version")


def test_a_full_disk_is_a_problem(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "FREE_MIN_BYTES", 1 << 62)
    found(diagnosis.files(), "problem", f"The disk of {settings.DATA_DIR} has", "left")
    found(diagnosis.files(), "problem", f"The disk of {gettempdir()} has", "left")
    # A database outside the data folder, on a disk of its own.
    monkeypatch.setitem(settings.DATABASES["default"], "NAME", str(tmp_path / "pilothouse.sqlite3"))
    monkeypatch.setattr(connection, "vendor", "sqlite")
    found(diagnosis.files(), "problem", f"The disk of {tmp_path} has", "left")


def test_a_port_for_figures_that_something_else_uses_is_a_problem(settings: Settings) -> None:
    found(diagnosis.figures(), "ok", "not set")
    settings.METRICS_ADDRESS = f"127.0.0.1:{free_port()}"
    found(diagnosis.figures(), "ok", "is free")
    with serving(answer(b"pilothouse_jobs 0\n")) as worker:
        settings.METRICS_ADDRESS = worker.address.partition("//")[2]
        found(diagnosis.figures(), "ok", "A worker serves its figures")
    with serving(answer(b"something else")) as other:
        settings.METRICS_ADDRESS = other.address.partition("//")[2]
        found(diagnosis.figures(), "problem", "in use", "Choose another port")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        settings.METRICS_ADDRESS = f"127.0.0.1:{silent.getsockname()[1]}"
        found(diagnosis.figures(), "problem", "in use")
    settings.METRICS_ADDRESS = "192.0.2.7:9464"
    found(diagnosis.figures(), "problem", "not an address of this machine")


@pytest.mark.django_db
def test_more_connections_than_postgresql_allows_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        assert list(diagnosis.connections()) == []
        return
    monkeypatch.setenv("WEB_CONCURRENCY", "2")
    found(diagnosis.connections(), "ok", "may open 30")
    for _ in range(7):
        register()
    monkeypatch.setenv("WEB_CONCURRENCY", "20")
    found(diagnosis.connections(), "problem", "27 processes may open 270", "max_connections")


@pytest.mark.django_db
def test_every_replica_of_the_web_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        return
    monkeypatch.setenv("WEB_CONCURRENCY", "2")
    own = connection.get_connection_params()
    where = {name: own[name] for name in ("host", "port", "user", "password", "dbname") if name in own}
    with ExitStack() as stack:
        # A worker and three replicas of the web, and a console.
        for name in [*(f"pilothouse {number:08x}" for number in range(4)), "psql"]:
            stack.enter_context(psycopg.connect(**where, application_name=name))
        found(diagnosis.connections(), "ok", "7 processes may open 70")
