"""Archives and their names, without a service: what is packed can be unpacked everywhere, and is as long as was said."""

import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.catalog.archive_names import Names, common_folder
from dashboard.interfaces.errors import NotFound
from dashboard.web.files.archive import FAILED, PADDING, Member, length, pack

TROUBLE = [
    "..", "../../etc/passwd", "/etc/passwd", "//a//b", "C:\\windows\\system32", "a\\..\\b", "con", "CON.txt",
    "aux/nul.tar.gz", "LPT1", "name.", "name ", " name", "...", "a/./b", "a/../b", "-rf", "--", "~", "$(id)", "`id`", "a;b",
    "a|b", "a&b", "a*b?", 'a"b', "a'b", "a<b>", "tab\there", "line\nbreak", "return\rhere", "nul\0here", "bell\a", "\x7f",
    "\u202egnp.exe", "\u200b", "\ufeffmark", "é", "e\u0301", "ß", "SS", "ss", "\u0130", "\u0131", "ﬀ", "ff", "名前", "שלום",
    "🛟", "a" * 300, "b" * 300 + ".txt", "d/" * 600 + "end", "x" * 2000 + "/y", "\ud800", "a:b:c", "dir", "dir/inside",
    "DIR/INSIDE", "Dir", FAILED, PADDING, "_FAILED.TXT", ".", "", "/", "a/", ".hidden", "..hidden",
]  # fmt: skip


class Bytes:
    """The bytes of one object."""

    def __init__(self, body: bytes) -> None:
        self.length = len(body)
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def packed(threads: ThreadPoolExecutor, sizes: dict[str, int], *, gone: frozenset[str] = frozenset()) -> bytes:
    names = Names(taken=(FAILED, PADDING)).give(sizes)
    members = [Member(key, name, size) for (key, size), name in zip(sizes.items(), names, strict=True)]

    def open_object(key: str) -> Bytes:
        if key in gone:
            raise NotFound(operation="S18", service="storage")
        return Bytes(b"\0" * sizes[key])

    body = b"".join(pack(members, open_object=open_object, begin=threads.submit, comment="Packed by nobody, für nobody."))
    assert len(body) == length(members)
    return body


def test_a_thousand_hostile_names_unpack_cleanly(threads: ThreadPoolExecutor, tmp_path: Path) -> None:
    names = [f"{one}{ending}" for ending in ("", "/x", ".txt", " (1)", "/../y") for one in TROUBLE]
    names += [f"{one}/{two}" for one in TROUBLE for two in TROUBLE]
    sizes = {name: len(name) % 7 for name in list(dict.fromkeys(names))[:1000]}
    path = tmp_path / "hostile.zip"
    path.write_bytes(packed(threads, sizes))
    inside = ZipFile(path).namelist()
    assert len(inside) == len(sizes) == 1000
    assert len({unicodedata.normalize("NFC", name.casefold()) for name in inside}) == len(inside)
    for name in inside:
        assert not name.startswith("/")
        assert "\\" not in name
        assert not {".", "..", ""} & set(name.split("/"))
        assert not any(unicodedata.category(character)[0] == "C" for character in name)
    unzip = shutil.which("unzip")
    assert unzip, "this needs unzip"
    tested = subprocess.run([unzip, "-tq", str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert tested.returncode == 0, tested.stdout[-2000:]
    target = tmp_path / "out"
    ZipFile(path).extractall(target)
    assert sum(one.is_file() for one in target.rglob("*")) == len(inside)


@given(names=st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=12, unique=True), sizes=st.lists(st.integers(0, 50)))
@settings(max_examples=60)
def test_the_length_is_what_was_said_for_any_names(threads: ThreadPoolExecutor, names: list[str], sizes: list[int]) -> None:
    wanted = dict(zip(names, [*sizes, *[3] * len(names)], strict=False))
    assert ZipFile(BytesIO(packed(threads, wanted))).testzip() is None


@pytest.mark.parametrize("gone", [{"a"}, {"a", "b", "c"}, {"large"}, {"large", "larger"}, {"a", "b", "c", "large", "larger"}])
def test_the_length_stays_what_was_said_when_things_vanish(threads: ThreadPoolExecutor, gone: set[str]) -> None:
    sizes = {"a": 0, "b": 1, "c": 1000, "large": 200_000, "larger": 3_000_000}
    archive = ZipFile(BytesIO(packed(threads, sizes, gone=frozenset(gone))))
    assert archive.testzip() is None
    assert set(archive.namelist()) - {FAILED, PADDING} == set(sizes) - gone
    assert gone <= set(archive.read(FAILED).decode().splitlines())


def test_many_empty_objects_that_vanish_leave_room_for_their_names(threads: ThreadPoolExecutor) -> None:
    sizes = {f"empty {number}": 0 for number in range(500)}
    archive = ZipFile(BytesIO(packed(threads, sizes, gone=frozenset(sizes))))
    assert archive.namelist() == [FAILED]
    assert "empty 499" in archive.read(FAILED).decode()


def test_archives_beyond_four_gibibytes_are_as_long_as_was_said(threads: ThreadPoolExecutor) -> None:
    block = bytes(1 << 20)

    class Large(Bytes):
        def __init__(self, size: int) -> None:
            self.length = size

        def __iter__(self) -> Iterator[bytes]:
            for begin in range(0, self.length, len(block)):
                yield block[: min(len(block), self.length - begin)]

    sizes = {"small": 5, "half": 3 << 30, "whole": 5 << 30, "last": 7}
    members = [Member(name, name, size) for name, size in sizes.items()]
    total = 0
    tail = b""
    for piece in pack(members, open_object=lambda key: Large(sizes[key]), begin=threads.submit, comment=""):
        total += len(piece)
        tail = (tail + piece)[-4096:] if len(piece) < 4096 else piece[-4096:]
    assert total == length(members)
    assert b"PK\x06\x06" in tail


def test_what_was_chosen_side_by_side_shares_its_folder() -> None:
    assert common_folder(["a/b/", "a/c/"]) == "a/"
    assert common_folder(["a/", "b/"]) == ""
    assert common_folder(["a/b/", "a/b/c/"]) == "a/b/"
    assert common_folder([]) == ""


def test_a_file_never_has_the_name_of_a_folder_beside_it() -> None:
    assert Names().give(["a", "a/b", "A"]) == ["a (1)", "a/b", "A (2)"]


def test_names_of_later_batches_differ_from_earlier_ones() -> None:
    names = Names(base="x/")
    assert names.give(["x/a?.txt"]) == ["a_.txt"]
    assert names.give(["x/a*.txt"]) == ["a_ (1).txt"]
