"""What settings make of the two addresses that hold passwords."""

from pathlib import Path

import environ
import pytest

from dashboard import backends


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> environ.Env:
    for name in ("DATABASE_URL", "EMAIL_URL", "EMAIL_FROM"):
        monkeypatch.delenv(name, raising=False)
    return environ.Env()


def test_tls_options_of_the_database_address_reach_the_driver(env: environ.Env, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me:x@db.example/name?sslmode=verify-full&sslrootcert=/authorities/ca.pem")
    options = backends.database(env, Path())["OPTIONS"]
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/authorities/ca.pem")
    assert options["pool"]["max_size"] == 10
    assert options["connect_timeout"] == 2


def test_options_of_sqlite_are_added_to_ours(env: environ.Env, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:////tmp/some.sqlite3?timeout=20")
    options = backends.database(env, Path())["OPTIONS"]
    assert (options["timeout"], options["transaction_mode"]) == (20, "IMMEDIATE")


@pytest.mark.parametrize(("scheme", "encrypts"), [("smtp+tls", "EMAIL_USE_TLS"), ("smtp+ssl", "EMAIL_USE_SSL")])
def test_e_mail_is_encrypted_times_out_and_names_its_sender(
    env: environ.Env, monkeypatch: pytest.MonkeyPatch, scheme: str, encrypts: str
) -> None:
    monkeypatch.setenv("EMAIL_URL", f"{scheme}://me:x@mail.example:587")
    found = backends.mail(env, "pilothouse.example")
    assert found[encrypts] is True
    assert 0 < found["EMAIL_TIMEOUT"] <= 10
    assert found["DEFAULT_FROM_EMAIL"] == "pilothouse@pilothouse.example"
    monkeypatch.setenv("EMAIL_FROM", "Our dashboard <noreply@example.org>")
    assert backends.mail(env, "pilothouse.example")["DEFAULT_FROM_EMAIL"] == "Our dashboard <noreply@example.org>"
