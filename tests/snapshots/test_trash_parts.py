"""What a deletion keeps in several parts is one snapshot."""

from uuid import uuid4

import pytest

from dashboard.features.bulk import services as bulk
from dashboard.jobs.models import Job, State
from dashboard.snapshots import capture, collect, manifest, restore, trash
from dashboard.snapshots.manifest import Head, Manifest, read_head, read_heads
from dashboard.snapshots.store import Store
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go
from tests.jobs.conftest import turn
from tests.snapshots.test_capture import ended, in_a_folder, run
from tests.snapshots.test_restore import names
from tests.snapshots.test_trash import deletions, for_thirty_days, held

__all__ = ["for_thirty_days", "in_a_folder", "shelf"]


def part(shelf: Shelf, earlier: Head | None, *keys: str) -> Head:
    """Keep some objects as one more part of a deletion, as a job does."""
    kept = trash.keep(*shelf.place, keys, earlier=earlier.id if earlier else "")
    assert kept.head
    if kept.earlier:
        trash.drop(kept.earlier)
    return kept.head


def test_parts_in_any_order_of_keys_become_one_snapshot(shelf: Shelf) -> None:
    keys = [f"{number:03}-{uuid4().hex}.txt" for number in range(60)]
    shelf.put(*keys, body=b"12")
    head: Head | None = None
    for some in (keys[1::3], keys[::3], keys[2::3], keys[:2]):
        head = part(shelf, head, *some)
    (only,) = deletions()
    assert (only, only.objects, only.bytes) == (head, 60, 120), "what was kept again counts once"
    assert list(held(only)) == keys
    manifest = Manifest(capture.store(), only.lists)
    assert all(manifest.get(key) for key in keys)


def test_only_segments_that_get_more_are_written_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "ends_segment", lambda key, _: key.endswith("0"))
    keys = [f"{number:02}" for number in range(50)]
    shelf.put(*keys)
    first = part(shelf, None, *keys[:25])
    before = [segment.chunk for segment in Manifest(capture.store(), first.lists).segments]
    second = part(shelf, first, *keys[25:])
    after = [segment.chunk for segment in Manifest(capture.store(), second.lists).segments]
    assert after[: len(before) - 1] == before[:-1]
    assert list(held(second)) == keys


def test_an_emptied_bucket_is_one_row_however_much_it_held(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash, "AT_ONCE_BYTES", 8)
    shelf.put("a/1.txt", "a/2.txt", "b.txt", body=b"12345")
    job = go(turn(bulk.empty(*shelf.place, back="/")))
    assert (job.state, names(shelf), len(deletions())) == (State.DONE, [], 1)
    assert list(held(deletions()[0])) == ["a/1.txt", "a/2.txt", "b.txt"]


def test_a_snapshot_that_is_being_restored_stays_when_the_deletion_goes_on(shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt")
    first = part(shelf, None, "a.txt")
    restore.undo(shelf.workspace, first, back="/")
    second = part(shelf, first, "b.txt")
    assert [list(held(head)) for head in deletions()] == [["a.txt"], ["b.txt"]]
    assert second.id != first.id


def test_parts_of_a_replaced_token_stay_apart(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt")
    first = part(shelf, None, "a.txt")
    monkeypatch.setattr(type(shelf.workspace), "fingerprint", lambda *_: "another")
    part(shelf, first, "b.txt")
    assert [list(held(head)) for head in deletions()] == [["a.txt"], ["b.txt"]]


def test_an_object_stored_anew_after_it_was_kept_is_kept_in_both_versions(shelf: Shelf) -> None:
    """As when an answer was lost, and somebody uploaded it again before the job went on."""
    shelf.put("a.txt", "b.txt", body=b"then")
    first = part(shelf, None, "a.txt")
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"newer", content_type="text/plain")
    part(shelf, first, "a.txt", "b.txt")
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}, {"a.txt": b"newer", "b.txt": b"then"}]


def test_a_snapshot_replaced_while_chunks_are_marked_stops_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    run(shelf)
    first = part(shelf, None, "a.txt")
    heads, listed = Store.heads, list[Head]()

    def replace_after(store: Store, place: str = "") -> list[str]:
        found = heads(store, place)
        if Job.objects.filter(kind="delete snapshots", cursor__phase="mark").exists() and not listed:
            listed.append(first)
            part(shelf, first, "b.txt")
        return found

    monkeypatch.setattr(Store, "heads", replace_after)
    (taken,) = [head for head in read_heads(capture.store()) if not head.is_trash]
    job = ended(collect.begin(shelf.workspace, [taken], back="/"))
    assert (job.state, len(listed)) == (State.DONE, 1)
    assert [list(held(head)) for head in deletions()] == [["a.txt", "b.txt"]]


def test_a_head_that_is_removed_while_they_are_read_is_left_out(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt")
    first, second = part(shelf, None, "a.txt"), part(shelf, None, "b.txt")
    paths = capture.store().heads()
    assert read_head(capture.store(), paths[0]) == first
    capture.store().remove(first.path)
    monkeypatch.setattr(Store, "heads", lambda *_: paths)
    assert read_heads(capture.store()) == [second]


def test_what_is_in_the_trash_is_not_read_to_keep_more(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a.txt", "b.txt")
    first = part(shelf, None, "a.txt")
    run(shelf)
    read, paths = Store.read, list[str]()

    def noted(store: Store, path: str) -> bytes:
        paths.append(path)
        return read(store, path)

    monkeypatch.setattr(Store, "read", noted)
    part(shelf, None, "b.txt")
    assert capture.last(shelf.space, shelf.bucket, first.token) in paths
    assert first.path not in paths
