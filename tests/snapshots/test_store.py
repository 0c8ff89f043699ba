"""The store of snapshots, in a folder and in an S3 server."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from dashboard.snapshots.manifest import (
    IN_TRASH,
    Entry,
    Head,
    Manifest,
    Segment,
    ends_segment,
    heads_at,
    id_in_trash,
    id_of_job,
    pack,
    read_head,
    read_heads,
    write_head,
)
from dashboard.snapshots.store import FOLDERS, Damaged, Foreign, Missing, Store, StoreError, make_folder, open_store

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def whole(store: Store, entries: list[Entry], *, ident: str = "20261127T000000Z-1", bucket: str = "a b") -> Head:
    """Put a snapshot of these entries, in segments as a job writes them."""
    segments, some = [], list[Entry]()
    for entry in entries:
        some.append(entry)
        if ends_segment(entry.key, len(some)) or entry is entries[-1]:
            left_out = sum(bool(one.left_out) for one in some)
            segments.append(Segment(some[0].key, store.add(pack(some))[0], len(some), left_out))
            some = []
    head = Head(
        id=ident,
        space="space",
        bucket=bucket,
        token="f" * 32,
        begun=NOW,
        ended=NOW,
        objects=len(entries),
        bytes=0,
        new_bytes=0,
        left_out=0,
        unlisted=0,
        lists=[store.add(pack(segments))[0]],
    )
    write_head(store, head)
    return head


def test_a_chunk_is_named_by_its_bytes_and_stored_once(store: Store) -> None:
    name, grown = store.add(b"some bytes")
    assert (name, grown) == (sha256(b"some bytes").hexdigest(), 10)
    assert store.add(bytearray(b"some bytes")) == (name, 0)
    assert store.chunk(name) == b"some bytes"
    assert store.used() == 10


def test_what_is_used_is_counted_once_unless_it_is_too_much(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    name, _ = store.add(b"some bytes")
    assert store.used(lambda: pages.append("")) == 10
    store.add(b"more")
    # As another process does.
    store.put(f"{'chunks/ab/ab':0<74}", b"others'")
    counted = len(pages)
    assert (store.used(lambda: pages.append(""), up_to=14), len(pages)) == (14, counted)
    assert store.used(lambda: pages.append(""), up_to=13) == 21
    assert len(pages) > counted
    store.remove_chunks([name])
    assert (store.used(up_to=21), store.used(up_to=20)) == (21, 11)
    store.put(f"{'chunks/cd/cd':0<74}", b"others'")
    monkeypatch.setattr("dashboard.snapshots.store.monotonic", lambda: 1e9)
    assert store.used(up_to=100) == 18


def test_a_chunk_has_at_most_eight_mebibytes(store: Store) -> None:
    assert store.add(bytes(8_388_608))[1] == 8_388_608
    with pytest.raises(ValueError, match="8 MiB"):
        store.add(bytes(8_388_609))


def test_a_missing_and_a_damaged_chunk_are_found(store: Store) -> None:
    name, _ = store.add(b"some bytes")
    store.put(f"chunks/{name[:2]}/{name}", b"some bytez")
    with pytest.raises(Damaged, match=name):
        store.chunk(name)
    with pytest.raises(Missing):
        store.chunk("0" * 64)
    assert store.add(b"some bytes") == (name, 0)


def test_a_cut_chunk_is_put_again(store: Store) -> None:
    name, _ = store.add(b"some bytes")
    store.put(f"chunks/{name[:2]}/{name}", b"some")
    assert store.add(b"some bytes") == (name, 10)
    assert store.chunk(name) == b"some bytes"


def test_chunks_are_listed_by_folder_and_removed(store: Store) -> None:
    names = [store.add(f"{number}".encode())[0] for number in range(20)]
    assert sorted(name for folder in FOLDERS for name in store.chunks(folder)) == sorted(names)
    assert all(name.startswith(folder) for folder in FOLDERS for name in store.chunks(folder))
    store.remove_chunks(names[1:])
    store.remove_chunks([])
    assert [name for folder in FOLDERS for name in store.chunks(folder)] == names[:1]
    with pytest.raises(Missing):
        store.chunk(names[1])


def test_a_generation_is_another_each_time(store: Store) -> None:
    assert store.generation() == ""
    first = store.begin_generation()
    assert store.generation() == first
    assert store.begin_generation() != first


def test_the_probe_leaves_nothing(store: Store) -> None:
    store.probe()
    assert list(store._listed("")) == []


def test_only_the_first_installation_may_write(store: Store) -> None:
    store.claim(b"first")
    store.claim(b"first")
    with pytest.raises(Foreign, match="may only read"):
        store.claim(b"second")


def test_snapshots_are_listed_oldest_first_by_bucket_and_in_all(store: Store) -> None:
    for ident, bucket in (("20261127T000000Z-9", "a"), ("20261126T000000Z-10", "b"), ("20261125T000000Z-11", "a")):
        whole(store, [Entry(key="k")], ident=ident, bucket=bucket)
    assert [head.id for head in read_heads(store)] == ["20261125T000000Z-11", "20261126T000000Z-10", "20261127T000000Z-9"]
    place = read_heads(store)[0].path.split("/")[1]
    assert [head.bucket for head in read_heads(store, place)] == ["a", "a"]
    assert read_heads(store, "0" * 32) == []


def test_snapshots_of_one_second_are_listed_oldest_first_too(store: Store) -> None:
    begun = datetime(2026, 11, 29, tzinfo=UTC)
    moments = [begun + timedelta(microseconds=after) for after in (0, 80, 2_645, 30_000, 400_000, 999_999)]
    jobs = [id_of_job(moment, job) for moment, job in zip(moments[::2], (99_999_999, 9, 10), strict=True)]
    deletions = [id_in_trash(moment) for moment in moments[1::2]]
    for ident in jobs + deletions:
        whole(store, [Entry(key="k")], ident=ident)
    assert [head.id for head in read_heads(store)] == [ident for pair in zip(jobs, deletions, strict=True) for ident in pair]
    assert [bool(IN_TRASH.search(path)) for path in store.heads()] == [False, True] * 3


def test_entries_are_found_by_key_and_read_in_order(store: Store) -> None:
    entries = [Entry(key=f"{number:05}", size=number, left_out="Why." if number == 700 else "") for number in range(3000)]
    manifest = Manifest(store, whole(store, entries).lists)
    assert len(manifest.segments) > 3
    assert max(segment.entries for segment in manifest.segments) <= 512
    assert list(manifest) == entries
    assert [manifest.get(f"{number:05}") for number in (0, 255, 1700, 2999)] == [entries[at] for at in (0, 255, 1700, 2999)]
    assert [manifest.get(key) for key in ("", "00000x", "zzz")] == [None] * 3
    assert list(manifest.left_out()) == [entries[700]]


def test_an_unchanged_part_of_a_bucket_gives_the_same_chunks_again(store: Store) -> None:
    entries = [Entry(key=f"{number:05}", size=1, sha256="0" * 64) for number in range(3000)]
    first = Manifest(store, whole(store, entries).lists)
    second = Manifest(store, whole(store, [Entry(key="00000-new"), *entries[5:]], ident="20261128T000000Z-2").lists)
    assert {one.chunk for one in first.segments[1:]} == {one.chunk for one in second.segments[1:]}


def test_a_store_can_be_read_with_gzip_and_json_alone(tmp_path: Path) -> None:
    store = open_store(tmp_path.as_uri(), {})
    data, _ = store.add(b"hello")
    whole(store, [Entry(key="a/b.txt", size=5, sha256=data, chunks=[data], type="text/plain", updated=NOW)])

    def chunk(name: str) -> bytes:
        return (tmp_path / "chunks" / name[:2] / name).read_bytes()

    def lines(name: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in gzip.decompress(chunk(name)).splitlines()]

    (head,) = (json.loads(path.read_text()) for path in tmp_path.glob("snapshots/*/*.json"))
    assert (head["format"], head["space"], head["bucket"]) == (1, "space", "a b")
    (entry,) = (entry for name in head["lists"] for segment in lines(name) for entry in lines(segment["chunk"]))
    assert entry["key"] == "a/b.txt"
    assert b"".join(map(chunk, entry["chunks"])) == b"hello"


def test_a_head_that_is_no_head_is_told(store: Store) -> None:
    path = "snapshots/place/20261127T000000Z-1.json"
    store.put(path, b"{}")
    assert heads_at(store, store.heads()) == ([], [path])
    with pytest.raises(Damaged):
        read_head(store, path)


def test_a_store_that_is_away_or_refuses_is_told_in_one_sentence(tmp_path: Path, s3_settings: dict[str, str]) -> None:
    (tmp_path / "file").write_text("")
    below = (tmp_path / "file" / "below").as_uri()
    with pytest.raises(StoreError, match=r"can't be created"):
        make_folder(below)
    with pytest.raises(StoreError, match=r"is missing"):
        open_store(below, {})
    away = open_store(s3_settings["SNAPSHOT_URL"], {**s3_settings, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"})
    with pytest.raises(StoreError) as told:
        away.probe()
    assert "\n" not in str(told.value)
    assert s3_settings["AWS_SECRET_ACCESS_KEY"] not in str(told.value)


def test_a_folder_tells_its_free_space_and_is_for_this_account_only(tmp_path: Path) -> None:
    url = (tmp_path / "new").as_uri()
    make_folder(url)
    store = open_store(url, {})
    assert (store.free() or 0) > 0
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
