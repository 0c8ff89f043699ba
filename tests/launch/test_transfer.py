"""Everything but sessions is carried to another database, and nothing to one that can't hold it."""

import json
import os
import re
import secrets
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

import psycopg
import pytest

from dashboard.interfaces import StorageInterface, Token
from tests.launch.command import OUR_KEYS, ROOT, prepared, starting
from tests.launch.test_backup import manage
from tests.launch.test_backup_documented import run
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

BUCKET = "launch-transfer"
LEFT_OUT = {
    "django_session",
    "usersessions_usersession",
    "jobs_worker",
    "launch_prepared",
    "django_content_type",
    "auth_permission",
    "auth_group",
    "auth_group_permissions",
    # Those of Django itself and of SQLite.
    "cache",
    "django_migrations",
    "sqlite_sequence",
}
# A row in every other table: all of its columns filled, with values that another form could change.
FILL = """
import uuid
from datetime import UTC, datetime
from django.apps import apps
from django.db import models, transaction
from dashboard.vault.fields import SealedField
from dashboard.vault.seals import Sealed

# Nothing is in doubt, and access is given to a person or a role.
SPECIAL = {("journal.Entry", "check_until"): None, ("tokens.Grant", "role"): ""}

def value(model, field):
    kind = field.get_internal_type()
    if field.is_relation:
        return value(field.related_model, field.target_field) if field.related_model._meta.db_table not in LEFT_OUT else None
    if (special := (model._meta.label, field.name)) in SPECIAL:
        return SPECIAL[special]
    if isinstance(field, SealedField):
        return Sealed("v1.00000000.sealed")
    if kind in ("CharField", "TextField", "EmailField"):
        return "\\u00e9 '7' \\U0001f600"[: field.max_length or 20]
    return {
        "JSONField": {"b": [1, 2.5, None, "\\u00e9"], "a": {"": False}}, "BinaryField": bytes(range(256)), "FloatField": 1.1,
        "DateTimeField": datetime(2026, 11, 25, 1, 2, 3, 123456, tzinfo=UTC), "UUIDField": uuid.UUID(int=7),
        "BooleanField": True, "GenericIPAddressField": "2001:db8::1", "BigIntegerField": 2**62, "PositiveBigIntegerField": 2**62,
    }.get(kind, 7)

with transaction.atomic():
    for model in apps.get_models(include_auto_created=True):
        if model._meta.db_table not in LEFT_OUT | {"vault_lookupkey"}:
            row = model(**{field.attname: value(model, field) for field in model._meta.local_concrete_fields})
            model._base_manager.bulk_create([row])
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a row in every table."""
    data = Path(shutil.copytree(prepared(), tmp_path_factory.mktemp("filled") / "data"))
    status, said = manage(data, "shell", "-v0", "-c", f"LEFT_OUT = {LEFT_OUT!r}\n{FILL}", **OUR_KEYS)
    assert status == 0, said
    return data


@pytest.fixture(scope="module")
def exported(source: Path) -> Path:
    """What is exported of it."""
    assert manage(source, "export", str(source / "exported"), **OUR_KEYS)[0] == 0
    return source / "exported"


def changed(data: Path, folder: Path, *statements: str) -> Path:
    """A copy of a data folder whose database has been changed."""
    copy = Path(shutil.copytree(data, folder, ignore=shutil.ignore_patterns("static", "exported")))
    with closing(sqlite3.connect(copy / "pilothouse.sqlite3")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return copy


def content(data: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table that is carried. JSON is compared by what it says."""
    with closing(sqlite3.connect(data / "pilothouse.sqlite3")) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")} - LEFT_OUT
        return {name: [tuple(map(plain, row)) for row in database.execute(f"SELECT * FROM {name}")] for name in names}


def plain(value: object) -> object:
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value


@pytest.fixture
def database() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL server")
    name = f"transfer_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_every_table_is_carried_with_every_value(source: Path, exported: Path, tmp_path: Path) -> None:
    """A table of which nobody has decided whether it is carried fails here."""
    found = content(source)
    assert [name for name, rows in found.items() if not rows] == []
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600
    status, said = manage(tmp_path, "import", str(exported), **OUR_KEYS)
    assert status == 0, said
    assert content(tmp_path) == found


def test_every_table_comes_back_from_postgresql_as_it_was(database: str, source: Path, exported: Path, tmp_path: Path) -> None:
    status, said = manage(tmp_path, "import", str(exported), DATABASE_URL=database, **OUR_KEYS)
    assert status == 0, said
    again = str(tmp_path / "again")
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO web_attempt (subject, at) VALUES ('after', now())")
        assert connection.execute("DELETE FROM web_attempt WHERE subject = 'after' RETURNING id").fetchall() == [(8,)]
        connection.commit()
        status, said = manage(tmp_path, "export", again, DATABASE_URL=database, **OUR_KEYS)
        assert (status, "Other open connections to the database: 1. Stop every web and worker" in said) == (2, True)
    assert manage(tmp_path, "export", again, DATABASE_URL=database, **OUR_KEYS)[0] == 0
    status, said = manage(tmp_path, "import", again, DATABASE_URL=database, **OUR_KEYS)
    assert (status, "The database is in use" in said) == (2, True)
    status, said = manage(tmp_path, "import", again, **OUR_KEYS)
    assert status == 0, said
    assert content(tmp_path) == content(source)


def test_values_that_postgresql_cannot_hold_are_named_before_anything_is_written(
    database: str, source: Path, tmp_path: Path
) -> None:
    data = changed(
        source,
        tmp_path / "data",
        "UPDATE web_attempt SET subject = 'a' || char(0) || 'b'",
        "UPDATE labels_label SET name = printf('%0999d', 1)",
        """UPDATE web_formkey SET outcome = '{"a": ["\\u0000"]}'""",
        """UPDATE trial_trial SET begun = '{"\\ud800": 1}'""",
        "UPDATE jobs_job SET attempt = 9999999999",
    )
    assert manage(data, "export", str(tmp_path / "file"), **OUR_KEYS)[0] == 0
    status, said = manage(data, "import", str(tmp_path / "file"), DATABASE_URL=database, **OUR_KEYS)
    assert (status, "Nothing was changed. PostgreSQL can't hold what the file holds" in said) == (2, True)
    for line in (
        "web.Attempt 7, subject: a NUL character",
        "labels.Label é '7' 😀, name: longer than ",
        "web.FormKey 7, outcome: a NUL character",
        "trial.Trial 7, begun: half of a surrogate pair",
        "jobs.Job 7, attempt: the number is too large",
    ):
        assert line in said
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


BEATING = "INSERT INTO jobs_worker (pid_namespace, pid, process_start, started_at, heartbeat_at) VALUES ('', 1, '', {0}, {0})"
IN_USE = {
    "a change under way": ("UPDATE journal_entry SET outcome = 'open'", "Changes without an outcome: 1."),
    "a change in doubt": ("UPDATE journal_entry SET check_until = '2026-01-01'", "Changes without an outcome: 1."),
    "a running job": ("UPDATE jobs_job SET state = 'running'", "Running jobs: 1."),
    "a worker": (BEATING.format("datetime('now', '+1 hour')"), "Other running workers: 1."),
    "a newer version": ("UPDATE launch_prepared SET version = '10.8.7'", "Version 10.8.7 of Pilothouse prepared"),
    "missing tables": ("DELETE FROM django_migrations WHERE app = 'launch'", "or run `manage.py prepare`"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("change", "words"), IN_USE.values(), ids=IN_USE.keys())
def test_nothing_is_exported_before_all_is_stopped_and_known(source: Path, tmp_path: Path, change: str, words: str) -> None:
    status, said = manage(changed(source, tmp_path / "data", change), "export", str(tmp_path / "file"), **OUR_KEYS)
    assert (status, words in said) == (2, True), said
    assert not (tmp_path / "file").exists()


def test_nothing_foreign_or_changed_is_imported(source: Path, exported: Path, tmp_path: Path) -> None:
    lines = exported.read_bytes().splitlines(keepends=True)
    head = json.loads(lines[0])
    files = {
        "text": (b"something else\n" * 9, "is not an export of Pilothouse"),
        "cut": (b"".join(lines[:-1]), "is damaged or was changed"),
        "longer": (b"".join([*lines, b"[]\n"]), "is damaged or was changed"),
        "other": (exported.read_bytes().replace(b"'7'", b"'8'", 1), "is damaged or was changed"),
        "version": (
            json.dumps({**head, "pilothouse": "9.8.7"}).encode() + b"\n",
            f"9.8.7 of Pilothouse wrote {tmp_path}/version",
        ),
    }
    target = tmp_path / "data"
    for name, (body, words) in files.items():
        (tmp_path / name).write_bytes(body)
        status, said = manage(target, "import", str(tmp_path / name), **OUR_KEYS)
        assert (status, words in said) == (2, True), said
    others = OUR_KEYS | {"VAULT_KEYS": "B" * 42 + "A="}
    status, said = manage(target, "import", str(exported), **others)
    assert (status, "Use the keys of that installation" in said) == (2, True)
    assert not (target / "pilothouse.sqlite3").exists()
    before = content(source)
    status, said = manage(source, "import", str(exported), **OUR_KEYS)
    assert (status, "The database is in use: it holds rows of account.EmailAddress." in said) == (2, True)
    assert content(source) == before
    status, said = manage(source, "export", str(exported), **OUR_KEYS)
    assert (status, "There is a file" in said) == (2, True)


def documented() -> list[str]:
    section = (ROOT / "README.md").read_text().partition("### From SQLite to PostgreSQL")[2].partition("\n### ")[0]
    [block] = re.findall(r"```\n(.*?)```", section, re.DOTALL)
    return str(block).strip().splitlines()


def moved(data: Path, sandbox: Sandbox, target: str) -> None:
    """Fill an installation, run the lines of README.md, sign in, open the share link, and store something new."""
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    storage = StorageInterface(sandbox.storage(ref), Token(tokens["service"]))
    storage.buckets.create(BUCKET)
    storage.objects.upload(BUCKET, "a.txt", b"carried along", content_type="text/plain")
    service = {"MANAGEMENT_URL": sandbox.management_url, "STORAGE_URL": sandbox.storage_url}
    with starting(data, **service) as started:
        link = started.wait_until_ready().link
        assert link
        with Visitor(started.address) as owner:
            owner.enter_by(link)
            owner.submit(owner.get("/account/tokens/new/?kind=management"), token=sandbox.personal_token)
            owner.submit(owner.get(f"/account/tokens/new/?kind=storage&space={ref}"), token=tokens["service"])
            shared = owner.post(f"/storage/{ref}/{BUCKET}/~share/?key=a.txt", name="Olga", life="3600", landing="page")
        found = re.search(r"/l/[\w-]+", unescape(shared.text))
        assert found, shared.text
        with pytest.raises(AssertionError, match="Stop it first"):
            run(documented()[:1], data, DATA_DIR=str(data))
    lines = [line.replace("postgres://user:password@host/name", target) for line in documented()]
    assert len(lines) == 3
    run(lines, data, DATA_DIR=str(data))
    with starting(data, DATABASE_URL=target, **service) as again:
        assert "with your password" in again.wait_until_ready().welcome
        with Visitor(again.address) as stranger:
            assert "carried along" in stranger.get(found[0]).text
        with Visitor(again.address) as owner:
            owner.sign_in("owner@localhost")
            assert "a.txt" in owner.get(f"/storage/{ref}/{BUCKET}/").text
            assert "a.txt" in owner.get("/links/").text
            owner.post(f"/storage/{ref}/{BUCKET}/~share/?key=a.txt", life="3600", landing="page")
            assert "2 links" in owner.get("/links/").text
    storage.buckets.empty(BUCKET)
    storage.buckets.delete(BUCKET)


def test_an_installation_moves_to_another_sqlite_file(sandbox: Sandbox, tmp_path: Path) -> None:
    moved(tmp_path / "data", sandbox, f"sqlite:///{tmp_path}/other.sqlite3")


def test_an_installation_moves_from_sqlite_to_postgresql(database: str, sandbox: Sandbox, tmp_path: Path) -> None:
    moved(tmp_path / "data", sandbox, database)
