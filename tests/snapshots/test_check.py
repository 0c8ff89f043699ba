"""Reading what snapshots hold, and taking what is damaged again from the bucket."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pytest

from dashboard.catalog import walk
from dashboard.interfaces.errors import Unreachable
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import Job, State
from dashboard.notifications.models import Notification
from dashboard.snapshots import capture, check
from dashboard.snapshots.objects import Part, Reader
from dashboard.snapshots.store import Store
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.catalog.conftest import Shelf, shelf
from tests.pages import PageClient
from tests.snapshots.test_capture import ended, in_a_folder, run, taken
from tests.snapshots.test_collect import chunks, is_whole
from tests.snapshots.test_schedule import a_day_later, look, save, taken_now, timer

__all__ = ["in_a_folder", "shelf"]


def checked(shelf: Shelf) -> list[Job]:
    """Check all shares."""
    return [ended(check.begin(*shelf.place, share=share, back=""), turns=60) for share in range(4)]


def said(jobs: list[Job]) -> list[str]:
    return [job.message for job in jobs if job.state == State.FAILED]


def file_of(tmp_path: Path, key: str, shelf: Shelf, at: int = 0) -> Path:
    name = taken(shelf)[key].chunks[at]
    return tmp_path / "store" / "chunks" / name[:2] / name


@pytest.mark.usefixtures("small_segments")
def test_the_shares_are_everything_once(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put(*(f"{number:02}" for number in range(30)), body=b"same")
    shelf.put("large.bin", body=bytes(range(250)) * 80_000)
    run(shelf)
    run(shelf)
    read = list[str]()
    original = Store.holds

    def noted(store: Store, name: str) -> bool:
        read.append(name)
        return original(store, name)

    monkeypatch.setattr(Store, "holds", noted)
    assert said(checked(shelf)) == []
    assert len(read) == 30 + 3
    assert set(read) == {name for entry in taken(shelf).values() for name in entry.chunks}


@pytest.mark.parametrize("how", ["damaged", "cut", "missing"])
def test_what_is_damaged_cut_or_missing_is_taken_again_from_the_bucket(
    shelf: Shelf, owner: Person, tmp_path: Path, how: str
) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    shelf.put("large.bin", body=bytes(range(250)) * 80_000)
    run(shelf)
    for path in (file_of(tmp_path, "a.txt", shelf), file_of(tmp_path, "large.bin", shelf, 1)):
        data = path.read_bytes()
        path.write_bytes(data[:-1] if how == "cut" else data[:-1] + b"?")
        if how == "missing":
            path.unlink()
    assert not is_whole()
    (told,) = said(checked(shelf))
    assert told == "Damaged in the store, and taken again from the bucket: 2 files."
    assert is_whole()
    assert Notification.objects.get(kind="job failed", person=owner).title == f"Failed: Check snapshots of {shelf.bucket}"
    assert said(checked(shelf)) == []


def test_what_changed_or_is_gone_from_the_bucket_is_named(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put("changed.txt", body=b"then")
    shelf.put("deleted.txt", body=b"gone")
    shelf.put("whole.txt", body=b"whole")
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "changed.txt", b"now", content_type="text/plain")
    shelf.storage.objects.delete_many(shelf.bucket, ["deleted.txt"])
    for key in ("changed.txt", "deleted.txt"):
        file_of(tmp_path, key, shelf).write_bytes(b"????")
    (told,) = said(checked(shelf))
    assert told == "Damaged, and can't be taken again: changed.txt, deleted.txt."
    assert file_of(tmp_path, "deleted.txt", shelf).read_bytes() == b"????", "nothing is removed on suspicion"


def test_a_damaged_manifest_is_told(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put("a.txt")
    run(shelf)
    (head,) = capture.store().heads()
    ident = head.rpartition("/")[2].removesuffix(".json")
    for name in chunks() - {one for entry in taken(shelf).values() for one in entry.chunks}:
        (tmp_path / "store" / "chunks" / name[:2] / name).write_bytes(b"")
    assert said(checked(shelf)) == [f"Damaged, and can't be taken again: the snapshot {ident}."] * 4


def test_it_works_in_short_steps_and_waits_for_the_service(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "STEP_SECONDS", 0.0)
    shelf.put(*(f"{number}.txt" for number in range(5)))
    shelf.put("other.txt", body=b"other")
    run(shelf)
    file_of(tmp_path, "other.txt", shelf).unlink()
    original, left = Reader.parts, [2]

    def away(self: Reader, row: walk.Entry, done: Part) -> Iterator[Part]:
        left[0] -= 1
        if left[0] >= 0:
            raise Unreachable("It doesn't answer.", operation="S18", service="storage")
        return original(self, row, done)

    monkeypatch.setattr(Reader, "parts", away)
    assert said(checked(shelf)) == ["Damaged in the store, and taken again from the bucket: 1 file."]
    assert is_whole()


def test_a_large_object_is_read_and_taken_again_chunk_by_chunk(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "STEP_SECONDS", 0.0)
    shelf.put("large.bin", body=bytes(range(250)) * 110_000)
    run(shelf)
    names = taken(shelf)["large.bin"].chunks
    file_of(tmp_path, "large.bin", shelf, 1).unlink()
    steps = list[list[str]]()
    _noted(monkeypatch, check, "_read_on", lambda *_: steps.append([]))
    _noted(monkeypatch, Store, "chunk", lambda _store, name: steps[-1].append(name) if steps else None)
    _noted(monkeypatch, Store, "add", lambda _store, data: steps[-1].append(sha256(data).hexdigest()) if steps else None)
    assert said(checked(shelf)) == ["Damaged in the store, and taken again from the bucket: 1 file."]
    of_it = [[name for name in step if name in names] for step in steps]
    assert max(map(len, of_it)) <= 2, "the last chunk read, and the first taken again"
    assert sorted(chain.from_iterable(of_it)) == sorted(names * 2), "each once, then written once"
    assert is_whole()


def _noted(patched: pytest.MonkeyPatch, owner: object, name: str, note: Callable[..., object]) -> None:
    """Note each call of a function."""
    original = getattr(owner, name)

    def noted(*args: object) -> object:
        note(*args)
        return original(*args)

    patched.setattr(owner, name, noted)


def test_it_goes_on_though_its_marks_were_removed(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "STEP_SECONDS", 0.0)
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.put("b.txt", body=b"then, too")
    run(shelf)
    original = check._read_on

    def alone(workspace: Workspace, batch: Batch) -> None:
        capture.store().remove_chunks(batch.cursor["read"])
        original(workspace, batch)

    monkeypatch.setattr(check, "_read_on", alone)
    assert said(checked(shelf)) == []
    assert is_whole()


def test_a_schedule_checks_the_next_share_once_a_week(
    as_owner: PageClient, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("a.txt")
    save(as_owner, shelf)
    look()
    taken_now()
    a_day_later()
    taken_now()
    assert [job.parameters["share"] for job in Job.objects.filter(kind="check snapshots")] == [0]
    found = timer()
    week_ago = "2026-01-01T00:00:00+00:00"
    type(found).objects.filter(pk=found.pk).update(payload={**found.payload, "checked": week_ago})
    a_day_later()
    taken_now()
    assert [job.parameters["share"] for job in Job.objects.filter(kind="check snapshots").order_by("pk")] == [0, 1]
