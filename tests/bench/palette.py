"""The palette over indexes of 1,000,000 and 100,000 objects: whole answers of the view, without the web server.

On SQLite; with DATABASE_URL, in the empty database that it names.
"""

import json
import os
import secrets
import subprocess
import sys
import time
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from cryptography.fernet import Fernet

from tests.bench.table import show

SIZES = {"million": 1_000_000, "hundred thousand": 100_000}
TEXTS = {
    "begins with, short": ["in", "re", "ph", "sc"],
    "begins with, long": ["invoice-1234", "report-1000", "photo-1999", "scan-10234"],
    "contains": ["0321", "oice-1", "0999", "can-1"],
    "nothing": ["nowhere", "zzz", "qqq9", "unheard of"],
}
TIMES = 25
ROWS = """
INSERT INTO catalog_indexed
  (catalog_id, folder_id, key, name, size, mimetype, etag, created_at, updated_at, is_marker, crawl)
WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < %s - 1),
  named AS (SELECT i, CASE i %% 4 WHEN 0 THEN 'invoice' WHEN 1 THEN 'report' WHEN 2 THEN 'photo' ELSE 'scan' END
    || '-' || CAST(1000000 + i AS TEXT) || '.pdf' AS name FROM numbers)
SELECT %s, %s, CAST(2000 + i %% 500 AS TEXT) || '/' || name, name, 1000, 'application/pdf', '', NULL, NULL, %s, 1 FROM named
"""


def run(*, rounds: int) -> None:
    from tests.launch.command import ROOT, environment

    with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        settings = {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "SECRET_KEY": secrets.token_hex(32),
            "VAULT_KEYS": Fernet.generate_key().decode(),
            "STORAGE_URL": "http://127.0.0.1:9/storage/v1",
            "ALLOWED_HOSTS": "testserver",
        } | {name: os.environ[name] for name in ("DATABASE_URL",) if name in os.environ}
        command = [sys.executable, "-m", "tests.bench.palette", str(rounds)]
        done = subprocess.run(command, cwd=ROOT, env=environment(settings), text=True, stdout=subprocess.PIPE, check=True)
    told = json.loads(done.stdout)
    show(
        f"The palette on {told['database']}, indexes of {' and '.join(f'{size:,}' for size in SIZES.values())} objects",
        ["text", "answers", "median ms", "p95 ms", "longest ms", "CPU ms, p95"],
        [
            [
                what,
                len(each),
                *(f"{taken * 1000:.0f}" for taken in (*_spread([whole for whole, _ in each]), _p95([cpu for _, cpu in each]))),
            ]
            for what, each in told["times"].items()
        ],
    )


def _spread(times: list[float]) -> tuple[float, float, float]:
    return median(times), _p95(times), max(times)


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[18]


def main() -> None:
    """Fill the database and measure; prints JSON."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.utils import timezone

    from dashboard.catalog.models import Catalog, Folder
    from dashboard.team.models import Person
    from dashboard.tokens.models import Kind, StoredToken

    call_command("migrate", verbosity=0)
    person = Person.objects.create(email="bench@example.org", role="owner")
    token = StoredToken(person=person, kind=Kind.STORAGE, space="shared", fingerprint="f" * 32)
    token.seal("a token that is never sent")
    token.save()
    for bucket, size in SIZES.items():
        catalog = Catalog.objects.create(space="shared", bucket=bucket, token="f" * 32, as_of=timezone.now(), count=size)
        folder = Folder.objects.create(catalog=catalog, path="")
        with connection.cursor() as cursor:
            cursor.execute(ROWS, [size, catalog.pk, folder.pk, False])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client()
    client.force_login(person)
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(int(sys.argv[1])):
        for what, texts in TEXTS.items():
            for text in texts * TIMES:
                begun, cpu = time.monotonic(), time.process_time()
                answer = client.get("/search/", {"q": text}, headers={"HX-Request": "true", "HX-Target": "find-list"})
                times.setdefault(what, []).append((time.monotonic() - begun, time.process_time() - cpu))
                if answer.status_code != 200 or (b"find__hit" in answer.content) == (what == "nothing"):
                    raise RuntimeError(f"{text}: {answer.status_code}")
    json.dump({"database": connection.vendor, "times": times}, sys.stdout)


if __name__ == "__main__":
    main()
