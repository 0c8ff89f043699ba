"""Settings that work and put somebody at risk: `check --deploy` warns about each."""

import pytest

from dashboard.launch.risks import risks
from tests.launch.command import ROOT


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMAIL_URL", "smtp://me:secret@mail.example:587"),
        ("EMAIL_URL", "smtp://10.0.0.5:25"),
        ("DATABASE_URL", "postgres://me:secret@db.example/name"),
        ("DATABASE_URL", "postgres://me:secret@10.0.0.5/name"),
        ("DATABASE_URL", "postgresql://me:secret@db.example/name?sslmode=prefer"),
        ("DATABASE_URL", "postgres://me:secret@db.example/name?sslmode=disable"),
        ("MANAGEMENT_URL", "http://api.example"),
        ("STORAGE_URL", "http://203.0.114.7:5000"),
        ("STORAGE_URL", "http://{ref}.example/storage/v1"),
        ("STORAGE_PUBLIC_URL", "http://files.example"),
        ("STORAGE_URL", "https://pilothouse.example/storage/v1"),
        ("STORAGE_PUBLIC_URL", "https://pilothouse.example:443/files"),
    ],
)
def test_it_warns_and_quotes_no_secret(name: str, value: str) -> None:
    said = risks({"PUBLIC_URL": "https://pilothouse.example", name: value})
    assert len(said) == 1, said
    assert said[0].startswith(name)
    assert "secret" not in said[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMAIL_URL", "smtp+tls://me:secret@mail.example:587"),
        ("EMAIL_URL", "smtp+ssl://me:secret@mail.example:465"),
        ("EMAIL_URL", "smtp://localhost:25"),
        ("DATABASE_URL", "postgres://me:secret@db.example/name?sslmode=verify-full&sslrootcert=/authorities/ca.pem"),
        ("DATABASE_URL", "postgres://me:secret@127.0.0.1/name"),
        ("DATABASE_URL", "postgres://pilothouse:secret@database/pilothouse"),
        ("DATABASE_URL", "sqlite:////data/pilothouse.sqlite3"),
        ("MANAGEMENT_URL", "https://api.example"),
        ("STORAGE_URL", "http://storage.internal:5000"),
        ("STORAGE_URL", "http://10.0.0.7:5000"),
        ("STORAGE_URL", "http://storage:5000"),
        ("STORAGE_URL", "https://storage.pilothouse.example/storage/v1"),
        ("STORAGE_PUBLIC_URL", "none"),
    ],
)
def test_it_is_silent_where_nothing_is_at_risk(name: str, value: str) -> None:
    assert risks({"PUBLIC_URL": "https://pilothouse.example", name: value}) == []


def test_the_readme_recommends_nothing_risky() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "smtp://" not in readme
    assert "smtp+tls://" in readme
