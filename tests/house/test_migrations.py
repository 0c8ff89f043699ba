"""Databases of versions before are upgraded while replicas of these serve: migrations are never edited, and only add."""

import re
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest
from django.db import migrations, models
from django.db.models import NOT_PROVIDED

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in (ROOT / "dashboard").rglob("migrations/*.py") if path.stem != "__init__")
# The sandbox is one process, and its tables are of its own version.
OURS = [path for path in FILES if "sandbox" not in path.parts]
DIGESTS = Path(__file__).with_name("migrations.sha256")
# The version before reads and writes what these take away.
TAKING_AWAY = (
    migrations.RemoveField,
    migrations.DeleteModel,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)


def line(path: Path) -> str:
    """As `sha256sum` prints it."""
    return f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(ROOT)}"


def test_no_migration_is_edited_and_new_ones_are_noted() -> None:
    noted, found = set(DIGESTS.read_text().splitlines()), {line(path) for path in FILES}
    names = [entry.split()[1] for entry in noted]
    assert sorted(entry for entry in noted - found) == [], "these were edited or deleted: bring them back"
    assert sorted(found - noted) == [], f"add these lines to {DIGESTS.relative_to(ROOT)}"
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", OURS, ids=lambda path: f"{path.parts[-3]} {path.stem}")
def test_a_migration_takes_nothing_away_from_the_version_before(path: Path) -> None:
    migration = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)).Migration
    assert re.fullmatch(r"\d{4}_\w+", path.stem)
    for operation in migration.operations:
        assert not isinstance(operation, TAKING_AWAY), operation.describe()
        if isinstance(operation, migrations.AddField):
            assert works_without_being_named(operation.field), f"{operation.describe()}: it is required and has no db_default"


def works_without_being_named(field: "models.Field[object, object]") -> bool:
    """Whether a version that doesn't know a column can insert rows."""
    return field.many_to_many or field.null or field.db_default is not NOT_PROVIDED


@pytest.mark.parametrize(
    ("field", "works"),
    [
        (models.IntegerField(default=0), False),
        (models.TextField(blank=True), False),
        (models.IntegerField(default=0, db_default=0), True),
        (models.TextField(null=True), True),
    ],
)
def test_a_default_of_the_code_alone_is_none_for_the_version_before(field: "models.Field[object, object]", works: bool) -> None:
    assert works_without_being_named(field) is works
