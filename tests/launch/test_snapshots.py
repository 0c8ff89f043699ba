"""`manage.py snapshot` with nothing but the store: no keys, no database, no service."""

import io
import json
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from dashboard.snapshots.manifest import Entry, Head
from dashboard.snapshots.store import Store, open_store
from tests.launch.command import ROOT, environment, starting
from tests.launch.replicas import NOWHERE
from tests.snapshots.conftest import s3_server, s3_settings
from tests.snapshots.test_store import NOW, whole

__all__ = ["s3_server", "s3_settings"]

FILES = {"a/b.txt": b"hello", "a/B.txt": b"other", "../up.txt": b"outside", "empty": b"", "large.bin": bytes(range(256)) * 40_000}
PATHS = {"a/b.txt": "a/b~2.txt", "../up.txt": "_/up.txt"}
IDENT = "20261127T000000Z-1"


def snapshot(*words: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "manage.py", "snapshot", *words]
    return subprocess.run(command, cwd=ROOT, env=environment(settings), capture_output=True, check=False, timeout=60)


def entry(store: Store, key: str, data: bytes, *, size: int = 8 << 20) -> Entry:
    chunks = [store.add(data[at : at + size])[0] for at in range(0, len(data), size)]
    return Entry(key=key, size=len(data), sha256=sha256(data).hexdigest(), chunks=chunks, updated=NOW, type="text/plain")


def filled(store: Store, *more: Entry) -> Head:
    made = [entry(store, key, data) for key, data in FILES.items()]
    return whole(store, sorted([*made, *more], key=lambda one: one.key))


@pytest.fixture
def url(tmp_path: Path) -> str:
    (tmp_path / "store").mkdir()
    return (tmp_path / "store").as_uri()


def damage(store: Store, data: bytes) -> None:
    name = sha256(data).hexdigest()
    store.put(f"chunks/{name[:2]}/{name}", b"?" * len(data))


def test_it_lists_snapshots_and_the_objects_of_one(url: str) -> None:
    store = open_store(url, {})
    filled(store, Entry(key="gone", size=3, left_out="Deleted."))
    listed = snapshot("list", SNAPSHOT_URL=url)
    assert (listed.returncode, listed.stderr) == (0, b"")
    assert listed.stdout.decode().split() == [IDENT, "space/a", "b", "6", "objects", "0", "bytes"]
    objects = [json.loads(line) for line in snapshot("list", IDENT, SNAPSHOT_URL=url).stdout.splitlines()]
    assert [one["key"] for one in objects] == sorted([*FILES, "gone"])
    assert objects[-2]["left_out"] == "Deleted."


def test_a_damaged_snapshot_hides_no_other_one(url: str, tmp_path: Path) -> None:
    store = open_store(url, {})
    first = filled(store)
    second = whole(store, [entry(store, "a", b"x")], ident="20261128T000000Z-2")
    store.put(first.path, b"{")
    told = f"{IDENT}  can't be read\n".encode()
    listed, checked = snapshot("list", SNAPSHOT_URL=url), snapshot("verify", SNAPSHOT_URL=url)
    assert (listed.returncode, listed.stderr, listed.stdout.count(b"\n")) == (1, told, 1)
    assert (checked.returncode, checked.stderr, checked.stdout) == (1, told, f"{second.id}  space/a b  verified\n".encode())
    assert snapshot("export", second.id, str(tmp_path / "new"), SNAPSHOT_URL=url).returncode == 0
    assert (tmp_path / "new" / "a").read_bytes() == b"x"
    alone = snapshot("export", IDENT, str(tmp_path / "other"), SNAPSHOT_URL=url)
    assert (alone.returncode, alone.stderr) == (2, b"pilothouse: The head of a snapshot can't be read.\n")


def test_it_exports_byte_for_byte_and_names_what_was_renamed(url: str, tmp_path: Path) -> None:
    filled(open_store(url, {}))
    done = snapshot("export", IDENT, str(tmp_path / "new" / "folder"), SNAPSHOT_URL=url)
    assert (done.returncode, done.stdout) == (0, b"")
    assert sorted(done.stderr.decode().splitlines()) == [f"renamed: {key} → {path}" for key, path in sorted(PATHS.items())]
    folder = tmp_path / "new" / "folder"
    written = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert written == {PATHS.get(key, key): data for key, data in FILES.items()}
    assert (folder / "empty").stat().st_mtime == NOW.timestamp()


def test_it_exports_a_tar_stream_from_an_s3_server(s3_settings: dict[str, str]) -> None:
    filled(open_store(s3_settings["SNAPSHOT_URL"], s3_settings))
    done = snapshot("export", IDENT, "-", **s3_settings)
    assert done.returncode == 0
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        written = {one.name: archive.extractfile(one).read() for one in archive}  # type: ignore[union-attr] # all are files
    assert written == {PATHS.get(key, key): data for key, data in FILES.items()}


def test_it_reads_the_folder_of_start_without_a_setting(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    filled(open_store((tmp_path / "snapshots").as_uri(), {}))
    assert snapshot("--data", str(tmp_path), "list").stdout.startswith(IDENT.encode())
    mistyped = snapshot("list", SNAPSHOT_URL=(tmp_path / "snapshot").as_uri())
    assert (mistyped.returncode, b"There is no folder" in mistyped.stderr) == (2, True)
    assert not (tmp_path / "snapshot").exists()
    nothing = snapshot("--data", str(tmp_path / "nowhere"), "list")
    assert (nothing.returncode, b"Set SNAPSHOT_URL" in nothing.stderr) == (2, True)


def test_it_verifies_and_names_what_is_damaged_cut_or_missing(url: str, tmp_path: Path) -> None:
    store = open_store(url, {})
    filled(store)
    sound = snapshot("verify", SNAPSHOT_URL=url)
    assert (sound.returncode, sound.stdout.decode().split()[-1]) == (0, "verified")
    damage(store, FILES["a/b.txt"])
    name = sha256(FILES["a/B.txt"]).hexdigest()
    (tmp_path / "store" / "chunks" / name[:2] / name).unlink()
    found = snapshot("verify", IDENT, SNAPSHOT_URL=url)
    assert found.returncode == 1
    assert "2 damaged" in found.stdout.decode()
    assert [line.split(":")[0].strip() for line in found.stdout.decode().splitlines()[1:]] == ["a/B.txt", "a/b.txt"]


def test_chunks_in_the_wrong_order_are_damage(url: str) -> None:
    store = open_store(url, {})
    made = entry(store, "two", b"firstsecond", size=5)
    whole(store, [Entry(key="two", size=11, sha256=made.sha256, chunks=made.chunks[::-1])])
    assert snapshot("verify", SNAPSHOT_URL=url).returncode == 1


def test_a_damaged_file_is_left_out_and_the_others_are_exported(url: str, tmp_path: Path) -> None:
    store = open_store(url, {})
    filled(store)
    damage(store, FILES["a/b.txt"])
    done = snapshot("export", IDENT, str(tmp_path / "out"), SNAPSHOT_URL=url)
    assert done.returncode == 1
    assert "damaged: a/b.txt: Its bytes are damaged" in done.stderr.decode()
    assert not (tmp_path / "out" / PATHS["a/b.txt"]).exists()
    assert (tmp_path / "out" / "large.bin").read_bytes() == FILES["large.bin"]
    stream = snapshot("export", IDENT, "-", SNAPSHOT_URL=url)
    assert (stream.returncode, b"damaged: a/b.txt" in stream.stderr) == (1, True)
    with tarfile.open(fileobj=io.BytesIO(stream.stdout)) as archive:
        assert archive.extractfile("large.bin").read() == FILES["large.bin"]  # type: ignore[union-attr] # it is a file


def test_it_writes_into_no_folder_that_holds_something(url: str, tmp_path: Path) -> None:
    filled(open_store(url, {}))
    (tmp_path / "mine.txt").write_text("mine")
    done = snapshot("export", IDENT, str(tmp_path), SNAPSHOT_URL=url)
    assert (done.returncode, b"is not empty" in done.stderr) == (2, True)
    unknown = snapshot("export", "yesterday", str(tmp_path / "x"), SNAPSHOT_URL=url)
    assert (unknown.returncode, b"There is no snapshot yesterday" in unknown.stderr) == (2, True)


def test_the_folder_of_the_store_is_made_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "mounted" / "store"
    with starting(tmp_path / "data", SNAPSHOT_URL=folder.as_uri(), MANAGEMENT_URL=NOWHERE) as started:
        started.wait_until_ready()
        assert folder.stat().st_mode & 0o777 == 0o700
