"""Many small objects in a running sandbox within a second or two: `python -m tests.sandbox.storage.many FOLDER REF BUCKET COUNT`.

Rows with a size and an ETag of their own, and files of that many zeros. FOLDER is the sandbox's data folder.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.environment import ROOT


def key_of(number: int) -> str:
    return f"in/{number // 500:02}/object {number:05}.txt"


def seed(data: Path, ref: str, bucket: str, count: int) -> None:
    """Run in a separate process, because the sandbox has its own settings."""
    command = [sys.executable, "-m", "tests.sandbox.storage.many", str(data), ref, bucket, str(count)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)


def main() -> None:
    data, ref, identifier, count = sys.argv[1:]
    os.environ |= {"DJANGO_SETTINGS_MODULE": "dashboard.sandbox.settings", "SANDBOX_DATA": data}

    import django

    django.setup()
    from dashboard.sandbox.storage import catalog, disk
    from dashboard.sandbox.storage.models import Bucket, Entry, Kind

    bucket = Bucket.objects.get(project=ref, identifier=identifier)
    keys = [key_of(number) for number in range(int(count))]
    rows = []
    for number, key in enumerate(keys):
        moment = 1_700_000_000_000 + number
        row = Entry(
            kind=Kind.OBJECT,
            size=number,
            etag=f"{number:032x}",
            file=f"{bucket.pk:08x}{number:024x}",
            mimetype="text/plain",
            cache_control="no-cache",
            created_at=moment,
            updated_at=moment,
            written_at=moment,
        )
        catalog._place(row, bucket, key)
        rows.append(row)
        with (disk._folder_of(row.file) / row.file).open("wb") as file:
            file.truncate(number)
    Entry.objects.bulk_create(rows, batch_size=1000)
    catalog._count({(bucket, key): 1 for key in keys})


if __name__ == "__main__":
    main()
