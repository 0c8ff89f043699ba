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

    _refuse_foreign_database()
    with ThreadPoolExecutor(max_workers=1) as beside:
        collected = beside.submit(collect)
        if _unapplied():
            call_command("migrate", interactive=False, verbosity=0)
        ensure_key()
        call_command("createcachetable", verbosity=0)
        collected.result()


def collect() -> None:
    """Run collectstatic if a file was added, changed or removed."""
    from django.conf import settings  # noqa: PLC0415 - after django.setup()
    from django.core.management import call_command  # noqa: PLC0415 - after django.setup()

    stamp = Path(settings.STATIC_ROOT) / ".collected"
    wanted = _static_fingerprint()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=stamp.exists(), ignore_patterns=UNUSED)
    stamp.write_text(wanted)


def explain(error: Exception) -> str:
    """Describe a failure in one sentence without addresses, as DATABASE_URL contains a password."""
    if isinstance(error, Refusal):
        return str(error)
    if isinstance(error, ImproperlyConfigured):
        return f"A setting is wrong: {str(error).splitlines()[0]}"
    if isinstance(error, DatabaseError):
        return "The database can't be used. Check DATABASE_URL, and that its server is running and accepts this account."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return f"A file could not be written: {reason}."


def _refuse_foreign_database() -> None:
    from django.db import connection  # noqa: PLC0415 - after django.setup()
    from django.db.migrations.loader import MigrationLoader  # noqa: PLC0415 - after django.setup()

    loader = MigrationLoader(connection)
    unknown = sorted(loader.applied_migrations.keys() - loader.disk_migrations.keys() - loader.replacements.keys())
    if unknown:
        raise Refusal(
            f"Nothing was changed. Another version of Pilothouse made this database (unknown migration {'.'.join(unknown[0])}). "
            "Start with an empty DATA_DIR or database, or run the version that made it."
        )


def _unapplied() -> bool:
    from django.db import connection  # noqa: PLC0415 - after django.setup()
    from django.db.migrations.executor import MigrationExecutor  # noqa: PLC0415 - after django.setup()

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


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
