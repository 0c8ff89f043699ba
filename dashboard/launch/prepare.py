"""Prepare the installation: migrate the database and collect static files.

`start` runs it in the process that becomes its worker, printing one JSON line per step; `manage.py prepare` runs it on its own.
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
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections
from django.db.migrations import Migration

from dashboard.launch import troubles
from dashboard.launch.rules import Refusal
from dashboard.web.process.kernel import refuse_inspection

# Files of packages that no page loads, and the pictures in README.md.
UNUSED = ["htmx-4*", "htmax-4*", "htmx-2.js", "django-htmx.js", "ext", "account", "mfa", "readme"]
# Migrations that end all sessions; a running older version would end more. Applied only while it is stopped.
STOP_FIRST = frozenset({("team", "0003_sessions_by_digest")})


def main() -> int:
    """Prepare; then, after one line of JSON on standard input, create the first owner, and work."""
    refuse_inspection()
    # Failures arrive as exceptions anyway.
    log = logging.getLogger("dashboard.web.process.postgresql")
    try:
        django.setup()
        log.setLevel(logging.CRITICAL)
        prepare()
        _say({"step": "prepared"})
        line = sys.stdin.readline()
        if line:
            _say({"step": "owner", **_first_owner(json.loads(line))})
    except (Refusal, ImproperlyConfigured, DatabaseError, OSError) as error:
        _say({"problem": explain(error)})
        return 2
    log.setLevel(logging.NOTSET)
    return _work() if line else 0


def _work() -> int:
    """Run the command `work` in this process, which has loaded nearly all that it needs."""
    connections.close_all()
    try:
        call_command("work")
    except CommandError as error:
        sys.stderr.write(f"pilothouse: {error}\n")
        return error.returncode
    return 0


def prepare(*, lost_keys: bool = False) -> None:
    """Update the database and the static files in parallel. Fast if nothing changed.

    `lost_keys`: continue although the keys unseal nothing in the database.
    """
    from dashboard.launch.versions import foreign_database, note_version, unapplied  # noqa: PLC0415 - models need django.setup()
    from dashboard.vault.lookup import ensure_key  # noqa: PLC0415 - models need django.setup()

    if foreign := foreign_database():
        raise Refusal(f"Nothing was changed. {foreign}")
    if not lost_keys:
        _refuse_without_keys()
    plan = unapplied()
    _refuse_beside_old_version(plan)
    with ThreadPoolExecutor(max_workers=1) as beside:
        collected = beside.submit(collect)
        if plan:
            call_command("migrate", interactive=False, verbosity=0)
        note_version()
        ensure_key()
        call_command("createcachetable", verbosity=0)
        collected.result()


def collect() -> None:
    """Run collectstatic if a file was added, changed or removed."""
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


def _refuse_beside_old_version(plan: list[Migration]) -> None:
    """Raise `Refusal` for an upgrade that an older version can't live with, while that is still running."""
    from dashboard.launch.processes import refuse_while_running  # noqa: PLC0415 - models need django.setup()

    names = {(migration.app_label, migration.name) for migration in plan}
    is_new = ("team", "0001_start") in names
    if not is_new and names & STOP_FIRST:
        refuse_while_running("Nothing was changed. The version before runs, and this upgrade can't be made beside it.")
        sys.stderr.write("pilothouse: This upgrade signs everybody out once.\n")


def _refuse_without_keys() -> None:
    """Raise `Refusal` if VAULT_KEYS unseal nothing in the database."""
    from dashboard.vault import lookup  # noqa: PLC0415 - models need django.setup()

    if lookup.is_lost():
        raise Refusal(
            "Nothing was changed. VAULT_KEYS can't decrypt what this database holds. Bring back the keys that it was used with. "
            "If they are lost, `manage.py prepare --lost-keys` goes on with new ones, and everybody stores their tokens again."
        )


def _database() -> Mapping[str, Any]:
    return settings.DATABASES["default"]


def _stamp() -> Path:
    return Path(settings.STATIC_ROOT) / ".collected"


def _static_fingerprint() -> str:
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
