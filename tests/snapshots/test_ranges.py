"""What is kept of the last snapshot without being looked at again, and what is not."""

import random
from pathlib import Path

import pytest

from dashboard.jobs.models import State
from dashboard.snapshots import capture, manifest
from tests.catalog.conftest import Shelf, shelf
from tests.features.service import Calls
from tests.snapshots.test_capture import bytes_of, in_a_folder, last, run, taken

__all__ = ["in_a_folder", "shelf"]

pytestmark = pytest.mark.usefixtures("small_segments")

KEYS = [f"{'abc'[number % 3]}/{number:03}.txt" for number in range(90)]


def segments() -> list[manifest.Segment]:
    return manifest.Manifest(capture.store(), manifest.read_heads(capture.store())[-1].lists).segments


def agree(shelf: Shelf, expected: dict[str, bytes]) -> None:
    """Check that the last snapshot holds exactly these objects."""
    head, held = last(shelf), taken(shelf)
    assert list(held) == sorted(expected)
    assert {key: bytes_of(entry) for key, entry in held.items()} == expected
    assert (head.objects, head.bytes) == (len(expected), sum(map(len, expected.values())))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [0.0, 3.0])
def test_whatever_changes_the_next_one_holds_what_is_there(
    shelf: Shelf, calls: Calls, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(capture, "STEP_SECONDS", seconds)
    expected = dict.fromkeys(KEYS, b"x")
    shelf.put(*KEYS)
    run(shelf, turns=200)
    agree(shelf, expected)
    chance = random.Random(7)  # noqa: S311 - any will do
    for new in (["0.txt", "c/999.txt"], ["b/014 more.txt"], []):
        first, *_, cut = segments()
        gone = {first.first, cut.first, *chance.sample(sorted(expected), 5)} if new else set()
        changed = chance.sample(sorted(expected.keys() - gone), 3) if new else []
        for key in gone:
            shelf.storage.objects.delete(shelf.bucket, key)
        for key in changed:
            shelf.storage.objects.replace(shelf.bucket, key, b"changed", content_type="text/plain")
        shelf.put(*new)
        expected = {key: body for key, body in expected.items() if key not in gone}
        expected |= dict.fromkeys(new, b"x") | dict.fromkeys(changed, b"changed")
        calls()
        run(shelf, turns=200)
        read = [call for call in calls() if "/object/authenticated/" in call]
        assert len(read) == len(new) + len(changed)
        agree(shelf, expected)


def test_an_empty_bucket_and_one_that_was_emptied_are_kept_as_such(shelf: Shelf) -> None:
    run(shelf)
    agree(shelf, {})
    shelf.put(*KEYS[:20])
    run(shelf)
    shelf.storage.objects.delete_many(shelf.bucket, KEYS[:20])
    run(shelf)
    agree(shelf, {})


def test_segments_without_a_change_are_the_same_chunks(shelf: Shelf) -> None:
    shelf.put(*KEYS)
    run(shelf)
    before = {segment.chunk for segment in segments()}
    assert len(before) > 5
    shelf.put("b/zzz.txt")
    run(shelf)
    assert len(before - {segment.chunk for segment in segments()}) <= 1
    assert last(shelf).new_bytes < 2500


@pytest.mark.exhaustive
@pytest.mark.parametrize("damage", ["missing", "cut", "as large as before"])
@pytest.mark.parametrize("what", ["segment", "list"])
def test_a_damaged_or_missing_part_of_a_manifest_is_taken_anew(shelf: Shelf, tmp_path: Path, what: str, damage: str) -> None:
    shelf.put(*KEYS)
    run(shelf)
    bad = segments()[2].chunk if what == "segment" else last(shelf).lists[0]
    file = tmp_path / "store/chunks" / bad[:2] / bad
    data = file.read_bytes()
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(data[:-9] if damage == "cut" else bytes(len(data)))
    assert run(shelf).state == State.DONE
    assert capture.store().holds(bad), "as the same chunk, so earlier snapshots are whole again, too"
    agree(shelf, dict.fromkeys(KEYS, b"x"))


def test_a_damaged_head_does_not_stop_the_next_snapshot(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put(*KEYS)
    run(shelf)
    (tmp_path / "store" / last(shelf).path).write_bytes(b"{")
    assert run(shelf).state == State.DONE
