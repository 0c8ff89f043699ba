"""Prepare the installation: migrate the database and collect static files.

`start` runs it as a child process that prints one JSON line per step; `manage.py prepare` runs it on its own.
"""

import hashlib
import json
import logging
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import django
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from dashboard import __version__
from dashboard.launch import troubles
from dashboard.launch.rules import Refusal

# Files of packages that no page loads, and the pictures of README.md.
UNUSED = ["htmx-4*", "htmax-4*", "htmx-2.js", "django-htmx.js", "ext", "account", "mfa", "readme"]


def main() -> int:
    """Prepare; then, after one line of JSON on standard input, create the first owner."""
    try:
        django.setup()
        # Its warnings quote addresses; failures arrive as exceptions anyway.
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
        prepare()
        _say({"step": "prepared"})
        if line := sys.stdin.readline():
            _say({"step": "owner", **_first_owner(json.loads(line))})
    except (Refusal, ImproperlyConfigured, DatabaseError, OSError) as error:
        _say({"problem": explain(error)})
        return 2
    return 0


def prepare() -> None:
    """Bring the database and the static files up to date, side by side; fast if they are."""
    from django.core.management import call_command  # noqa: PLC0415 - after django.setup()

    from dashboard.vault.lookup import ensure_key  # noqa: PLC0415 - models need django.setup()

    if foreign := foreign_database():
        raise Refusal(f"Nothing was changed. {foreign}")
    with ThreadPoolExecutor(max_workers=1) as beside:
        collected = beside.submit(collect)
        if _unapplied():
            call_command("migrate", interactive=False, verbosity=0)
        _note_version()
        ensure_key()
        call_command("createcachetable", verbosity=0)
        collected.result()


def collect() -> None:
    """Run collectstatic if a file was added, changed or removed."""
    from django.core.management import call_command  # noqa: PLC0415 - after django.setup()

    wanted = _static_fingerprint()
    if is_collected(wanted):
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=_stamp().exists(), ignore_patterns=UNUSED)
    _stamp().write_text(wanted)


def is_collected(fingerprint: str = "") -> bool:
    """Return whether the collected static files are those of this version."""
    return _stamp().is_file() and _stamp().read_text() == (fingerprint or _static_fingerprint())


def explain(error: Exception) -> str:
    """Describe a failure and its remedy without quoting DATABASE_URL, which contains a password."""
    if isinstance(error, Refusal):
        return str(error)
    if isinstance(error, ImproperlyConfigured):
        return f"A setting is wrong: {str(error).splitlines()[0]}"
    if isinstance(error, OSError):
        return str(troubles.of_file(error))
    return str(troubles.of_database(error, _database()))


def foreign_database() -> troubles.Trouble | None:
    """Return why this version can't take the database: it has a migration of another."""
    from django.db import connection  # noqa: PLC0415 - after django.setup()
    from django.db.migrations.loader import MigrationLoader  # noqa: PLC0415 - after django.setup()

    loader = MigrationLoader(connection)
    unknown = sorted(loader.applied_migrations.keys() - loader.disk_migrations.keys() - loader.replacements.keys())
    if not unknown:
        return None
    migration = ".".join(unknown[0])
    version = _preparer()
    if version == __version__:
        text = f"Another build of version {version} of Pilothouse prepared this database (migration {migration})."
        return troubles.Trouble(text, "Run that build or a newer version, or restore a backup of this build.")
    if version:
        text = f"Version {version} of Pilothouse prepared this database (migration {migration}); this is version {__version__}."
        return troubles.Trouble(text, f"Run version {version} or a newer one, or restore a backup of this version.")
    text = (
        f"A build before version 0.1.0 of Pilothouse made this database (migration {migration}); this is version {__version__}."
    )
    return troubles.Trouble(text, "Start with an empty DATA_DIR or database, or run the build that made it.")


def _preparer() -> str:
    from django.db import connection  # noqa: PLC0415 - after django.setup()

    from dashboard.launch.models import Prepared  # noqa: PLC0415 - as above

    if Prepared._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 - Django documents it
        return ""
    return Prepared.objects.values_list("version", flat=True).first() or ""


def _note_version() -> None:
    from dashboard.launch.models import Prepared  # noqa: PLC0415 - models need django.setup()

    if _preparer() != __version__:
        Prepared.objects.update_or_create(pk=1, defaults={"version": __version__})


def _unapplied() -> bool:
    from django.db import connection  # noqa: PLC0415 - after django.setup()
    from django.db.migrations.executor import MigrationExecutor  # noqa: PLC0415 - after django.setup()

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _database() -> Mapping[str, Any]:
    from django.conf import settings  # noqa: PLC0415 - after django.setup()

    return settings.DATABASES["default"]


def _stamp() -> Path:
    from django.conf import settings  # noqa: PLC0415 - after django.setup()

    return Path(settings.STATIC_ROOT) / ".collected"


def _static_fingerprint() -> str:
    from django.contrib.staticfiles.finders import get_finders  # noqa: PLC0415 - after django.setup()

    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(UNUSED):
            content = Path(storage.path(name)).read_bytes()
            digest.update(f"{name}\0{len(content)}\n".encode() + content)
    return digest.hexdigest()


def _first_owner(facts: Mapping[str, Any]) -> dict[str, str]:
    from dashboard.launch.owner import welcome  # noqa: PLC0415 - models need django.setup()

    return welcome(email=facts["email"], address=facts["address"], sandbox=facts["sandbox"], fresh=facts["fresh"])


def _say(words: Mapping[str, str]) -> None:
    sys.stdout.write(json.dumps(dict(words)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
