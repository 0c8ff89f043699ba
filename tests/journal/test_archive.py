"""What ACTIVITY_DAYS takes out of the activity is on disk first."""

import gzip
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from dashboard.journal import archive
from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.ACTIVITY_DAYS, settings.DATA_DIR = 30, tmp_path
    return tmp_path / "activity"


def entry(person: Person, target: str, *, days: float, **more: Any) -> Entry:
    values = {"operation": "S9", "outcome": Outcome.DONE, "started_at": timezone.now() - timedelta(days=days), **more}
    return Entry.objects.create(person=person, target=target, place="shared", **values)


def prune() -> None:
    for _ in range(9):
        archive.prune()


def archived(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(folder.iterdir()) for line in gzip.decompress(file.read_bytes()).splitlines()]


def left() -> list[str]:
    return list(Entry.objects.order_by("target").values_list("target", flat=True))


def test_entries_of_whole_days_that_are_old_enough_are_moved_to_files_of_their_day(
    owner: Person, ada: Person, folder: Path
) -> None:
    entry(owner, "young", days=30)
    entry(owner, "old", days=32, before={"a": 1}, through=ada)
    entry(ada, "older é", days=40)
    prune()
    assert left() == ["young"]
    older, old = archived(folder)
    assert (older["target"], older["person"]["address"]) == ("older é", ada.email)
    assert (old["target"], old["what"], old["before"], old["outcome"]) == ("old", "upload the object", {"a": 1}, "done")
    assert (old["person"]["name"], old["through"]["name"]) == ("Olga Owner", "Ada Member")
    days = [f"{timezone.now() - timedelta(days=days):%Y-%m-%d}" for days in (40, 32)]
    assert [file.name[:10] for file in sorted(folder.iterdir())] == days
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_act_of_ours_is_archived_in_its_own_words(owner: Person, folder: Path) -> None:
    entry(owner, "photos", days=40, operation="token stored")
    prune()
    assert [line["what"] for line in archived(folder)] == ["token stored"]


def test_without_a_number_of_days_nothing_is_deleted(owner: Person, folder: Path, settings: Settings) -> None:
    settings.ACTIVITY_DAYS = 0
    entry(owner, "old", days=4000)
    prune()
    assert (left(), folder.exists()) == (["old"], False)


def test_what_is_open_or_in_doubt_stays_and_so_does_the_entry_it_is_part_of(owner: Person, folder: Path) -> None:
    entry(owner, "open", days=90, outcome=Outcome.OPEN)
    entry(owner, "checked", days=90, outcome=Outcome.UNKNOWN, check_until=timezone.now())
    entry(owner, "expected", days=90, outcome=Outcome.UNKNOWN, expected="sealed")
    first = entry(owner, "first", days=90, action="x")
    part = entry(owner, "part", days=90, action="x", part_of=first, outcome=Outcome.OPEN)
    entry(owner, "part done", days=80, action="x", part_of=first)
    prune()
    assert left() == ["checked", "expected", "first", "open", "part"]
    Entry.objects.filter(pk=part.pk).update(outcome=Outcome.DONE)
    prune()
    assert left() == ["checked", "expected", "open"]
    assert {row["target"]: row["part_of"] for row in archived(folder)} == {"first": None, "part": first.pk, "part done": first.pk}


def test_what_can_not_be_written_is_not_deleted(owner: Person, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    entry(owner, "old", days=90)
    folder.write_text("a file is in the way")
    archive.prune()
    assert left() == ["old"]
    assert "can't be archived, so nothing of it is deleted" in caplog.text


def test_a_crash_before_the_deletion_writes_the_same_file_again(owner: Person, folder: Path) -> None:
    kept = entry(owner, "old", days=90)
    archive.prune()
    (file,) = folder.iterdir()
    before = file.read_bytes()
    kept.save(force_insert=True)
    archive.prune()
    assert [path.name for path in folder.iterdir()] == [file.name]
    assert file.read_bytes() == before


def test_a_long_day_takes_several_batches(owner: Person, folder: Path) -> None:
    then = timezone.now() - timedelta(days=90)
    Entry.objects.bulk_create(
        Entry(person=owner, operation="S9", target=str(number), outcome=Outcome.DONE, started_at=then) for number in range(2001)
    )
    prune()
    assert (left(), len(archived(folder)), len(list(folder.iterdir()))) == ([], 2001, 2)


def test_workers_that_archive_at_once_write_each_entry_once(transactional_db: None, owner: Person, folder: Path) -> None:
    then = timezone.now() - timedelta(days=90)
    numbers = [str(number) for number in range(300)]
    Entry.objects.bulk_create(
        Entry(person=owner, operation="S9", target=number, outcome=Outcome.DONE, started_at=then) for number in numbers
    )

    def work() -> None:
        prune()
        connection.close()

    with ThreadPoolExecutor(4) as workers:
        for future in [workers.submit(work) for _ in range(4)]:
            future.result()
    assert (left(), sorted(row["target"] for row in archived(folder))) == ([], sorted(numbers))
