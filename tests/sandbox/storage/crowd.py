"""A bucket with very many objects, made by bulk insert: `python -m tests.sandbox.storage.crowd FOLDER [OBJECTS]` prints how long
pages of it take, as `label milliseconds`. With `--plans` it prints how SQLite finds each page instead, as `label: plan`.

FOLDER is a sandbox's data folder (made where it is missing), while no sandbox runs in it.
"""

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django

ORDERS = [(column, down) for column in ("name", "created_at", "updated_at") for down in (False, True)]
WISHES: list[tuple[str, dict[str, Any]]] = [
    ("first page", {}),
    ("offset 10000", {"offset": 10_000}),
    ("offset 90000", {"offset": 90_000}),
    ("search few", {"search": "File-0123"}),
    ("search all", {"search": "f"}),
    ("search none", {"search": "zzz"}),
    ("1500 rows", {"limit": 1500}),
]


def main() -> None:
    folder, count = Path(sys.argv[1]), int(next((word for word in sys.argv[2:] if word.isdigit()), "100000"))
    os.environ |= {"DJANGO_SETTINGS_MODULE": "dashboard.sandbox.settings", "SANDBOX_DATA": str(folder)}
    folder.mkdir(parents=True, exist_ok=True)
    django.setup()
    from dashboard.sandbox.prepare import prepare

    prepare(empty=True)
    bucket = fill(count)
    for label, wish in wishes():
        for line in plans(bucket, wish) if "--plans" in sys.argv else [f"{took(bucket, wish):.1f}"]:
            sys.stdout.write(f"{label}: {line}\n")


def fill(count: int) -> Any:
    """Fill `crowd` with `count` objects in the folder `flat`, and 1000 folders of 10 objects each in `deep`."""
    from dashboard.sandbox.models import Project
    from dashboard.sandbox.storage import catalog, files
    from dashboard.sandbox.storage.models import Bucket, Entry, Kind

    project = Project.objects.get()
    known = Bucket.objects.filter(identifier="crowd").first()
    if known:
        return known
    bucket = files.create_bucket(project, "crowd")
    keys = [f"flat/file-{number:06}.txt" for number in range(count)]
    keys += [f"deep/folder-{number:03}/{inner}" for number in range(1000) for inner in range(10)]
    rows = []
    for number, key in enumerate(keys):
        moment = 1_700_000_000_000 + number * 7919 % 1_000_003
        row = Entry(
            kind=Kind.OBJECT, size=number, mimetype="text/plain", cache_control="no-cache", created_at=moment, updated_at=-moment
        )
        row.etag = f"{number:032x}"
        catalog._place(row, bucket, key)
        rows.append(row)
    Entry.objects.bulk_create(rows, batch_size=2000)
    catalog._count({(bucket, key): 1 for key in keys})
    return bucket


def wishes() -> Iterator[tuple[str, Any]]:
    from dashboard.sandbox.storage.lists import Wish

    yield "root", Wish("")
    yield "1000 folders", Wish("deep", limit=1000)
    for column, down in ORDERS:
        for label, more in WISHES:
            yield f"{column} {'desc' if down else 'asc'} {label}", Wish("flat", column=column, descending=down, **more)


def took(bucket: Any, wish: Any) -> float:
    """Return the milliseconds of a page, median of 5."""
    from dashboard.sandbox.storage.lists import page

    def once() -> float:
        begun = time.perf_counter()
        page(bucket, wish)
        return (time.perf_counter() - begun) * 1000

    return statistics.median(once() for _ in range(5))


def plans(bucket: Any, wish: Any) -> list[str]:
    """Return SQLite's plan of each query of a page."""
    from django.db import connection

    from dashboard.sandbox.storage.lists import page

    asked: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        page(bucket, wish)
    with connection.cursor() as cursor:
        return [row[-1] for sql, params in asked for row in cursor.execute("explain query plan " + sql, params).fetchall()]


if __name__ == "__main__":
    main()
