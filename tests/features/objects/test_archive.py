"""A folder or a selection as one archive."""

from collections.abc import Callable, Iterator
from io import BytesIO
from zipfile import ZipFile

import pytest

from dashboard.catalog.crawl import begin
from dashboard.interfaces.errors import Broken, InterfaceError
from dashboard.jobs.models import State
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.features.objects.conftest import Desk
from tests.features.service import Faults
from tests.jobs.conftest import turn
from tests.pages import htmx, kept


def packed(desk: Desk, **fields: str | list[str]) -> ZipFile:
    answer = desk.client.get(desk.address("archive"), {"go": "1", **fields})
    assert answer.status_code == 200
    body = answer.getvalue()
    assert answer["Content-Length"] == str(len(body))
    assert answer["Content-Type"] == "application/zip"
    archive = ZipFile(BytesIO(body))
    assert archive.testzip() is None
    return archive


def test_a_folder_comes_with_everything_below_it(desk: Desk) -> None:
    desk.put("a/x/one.txt", "a/x/y/two.txt", "a/other.txt", body=b"12345")
    desk.put("a/x/z/.emptyFolderPlaceholder", body=b"")
    archive = packed(desk, folder="a/x/")
    assert sorted(archive.namelist()) == ["x/one.txt", "x/y/two.txt"]
    assert archive.read("x/y/two.txt") == b"12345"


def test_all_that_a_search_finds_comes_as_an_archive_and_as_a_list(desk: Desk, owner: Person) -> None:
    desk.put("a/one.pdf", "b/c/two.pdf", "b/three.txt", body=b"12345")
    assert turn(begin(Workspace(owner), desk.space, desk.bucket).job).state == State.DONE
    searched = {"all": "1", "filter": "ext:pdf"}
    asked = desk.client.get(kept(desk.client, desk.address("archive"), **searched), headers=htmx("dialog"))
    assert "2 objects" in asked.text
    archive = packed(desk, **searched)
    assert sorted(archive.namelist()) == ["a/one.pdf", "b/c/two.pdf"]
    listed = desk.client.post(kept(desk.client, desk.address("manifest"), **searched), {"kind": "csv", "life": "3600"})
    assert [line.partition(",")[0] for line in listed.getvalue().decode().splitlines()[1:]] == ["a/one.pdf", "b/c/two.pdf"]


def test_folders_and_objects_together_are_named_from_where_they_were_chosen(desk: Desk) -> None:
    desk.put("a/one.txt", "a/b/two.txt", "a/b/c/three.txt", "a/four.txt")
    archive = packed(desk, key=["a/one.txt", "a/b/two.txt"], folder=["a/b/c/"])
    assert sorted(archive.namelist()) == ["b/c/three.txt", "b/two.txt", "one.txt"]


def test_many_objects_of_one_folder_are_found_by_listing_it(desk: Desk, calls: Callable[[], list[str]]) -> None:
    keys = [f"m/{number}.txt" for number in range(12)]
    desk.put(*keys)
    before = len(calls())
    archive = packed(desk, key=keys)
    assert len(archive.namelist()) == 12
    assert len(calls()) - before == 1 + 12


def test_an_archive_knows_when_things_were_changed_and_how_large_they_are(desk: Desk) -> None:
    desk.put("a/empty.txt", body=b"")
    desk.put("a/large.bin", body=b"\1" * 3_000_000)
    archive = packed(desk, folder="a/")
    assert {info.filename: info.file_size for info in archive.infolist()} == {"a/empty.txt": 0, "a/large.bin": 3_000_000}
    assert archive.getinfo("a/large.bin").date_time[0] >= 2024


def test_the_page_says_how_much_it_is_before_it_begins(desk: Desk) -> None:
    desk.put("a/one.txt", "a/two.txt", body=b"123")
    answer = desk.client.get(desk.address("archive"), {"folder": "a/"})
    assert "2 objects" in answer.text
    assert "6 bytes" in answer.text
    assert "Download ZIP" in answer.text


def test_chosen_objects_alone_start_at_once_and_a_chosen_folder_asks(desk: Desk) -> None:
    desk.put("a/one.txt", "two.txt")
    answer = desk.client.post(desk.address("archive"), {"key": "two.txt"})
    assert answer["Content-Disposition"] == f'attachment; filename="{desk.bucket}.zip"'
    assert ZipFile(BytesIO(answer.getvalue())).namelist() == ["two.txt"]
    asked = desk.client.post(desk.address("archive"), {"folder": "a/"}, follow=True)
    assert "<h1" in asked.text


def test_what_was_gone_before_is_counted_and_left_out(desk: Desk) -> None:
    desk.put("here.txt")
    answer = desk.client.get(desk.address("archive"), {"key": ["here.txt", "gone.txt"]})
    assert "1 selected object not found" in answer.text
    assert packed(desk, key=["here.txt", "gone.txt"]).namelist() == ["here.txt"]


def test_what_vanishes_on_the_way_is_named_and_the_length_stays_true(desk: Desk) -> None:
    desk.put(*(f"v/{number:02}.txt" for number in range(8)), body=b"123")
    desk.put("v/90 large.bin", body=b"\2" * 2_000_000)
    answer = desk.client.get(desk.address("archive"), {"go": "1", "folder": "v/"})
    blocks = iter(answer.streaming_content)  # type: ignore[attr-defined] # an archive is a stream
    first = next(blocks)
    desk.storage.objects.delete_many(desk.bucket, ["v/07.txt", "v/90 large.bin"])
    body = first + b"".join(blocks)
    assert len(body) == int(answer["Content-Length"])
    archive = ZipFile(BytesIO(body))
    assert archive.testzip() is None
    assert "v/06.txt" in archive.namelist()
    assert "v/07.txt" not in archive.namelist()
    assert {"v/07.txt", "v/90 large.bin"} <= set(archive.read("_failed.txt").decode().splitlines())


def test_what_changed_its_size_on_the_way_ends_the_transfer(desk: Desk) -> None:
    desk.put(*(f"c/{number:02}.txt" for number in range(9)), body=b"123")
    answer = desk.client.get(desk.address("archive"), {"go": "1", "folder": "c/"})
    blocks = iter(answer.streaming_content)  # type: ignore[attr-defined] # an archive is a stream
    next(blocks)
    desk.storage.objects.replace(desk.bucket, "c/08.txt", b"1234", content_type="text/plain")
    with pytest.raises(InterfaceError, match="changed while it was packed"):
        list(blocks)


def test_an_object_that_the_service_fails_to_read_is_named(desk: Desk, faults: Faults) -> None:
    names = [f"b/{number}.txt" for number in range(6)]
    desk.put(*names, body=b"123")
    faults("S18", status=500, times=1)
    archive = packed(desk, folder="b/")
    failed = archive.read("_failed.txt").decode().splitlines()[2:]
    assert len(failed) == 1
    assert sorted([*archive.namelist(), *failed]) == ["_failed.txt", *names]


def test_a_service_that_fails_altogether_ends_the_transfer(desk: Desk, faults: Faults) -> None:
    desk.put(*(f"b/{number}.txt" for number in range(6)), body=b"123")
    faults("S18", status=500)
    with pytest.raises(Broken):
        desk.client.get(desk.address("archive"), {"go": "1", "folder": "b/"}).getvalue()


def test_nothing_to_pack_is_said(desk: Desk) -> None:
    assert "Nothing to download" in desk.client.get(desk.address("archive"), {"folder": "none/"}).text
    assert desk.client.get(desk.address("archive")).status_code == 422


def test_too_many_objects_lead_to_the_list_of_links(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.features.objects.services.archive.MOST_OBJECTS", 2)
    desk.put("a/1", "a/2", "a/3")
    answer = desk.client.get(desk.address("archive"), {"folder": "a/", "go": "1"})
    assert "Too many objects" in answer.text
    assert desk.address("manifest") in answer.text


def test_transfers_leave_room_for_pages(desk: Desk) -> None:
    desk.put("a.txt")
    taken = []
    for _ in range(64):
        answer = desk.client.post(desk.address("archive"), {"key": "a.txt"})
        taken.append(answer)
        if answer.status_code == 503:
            break
    assert taken[-1].status_code == 503
    for answer in taken[:-1]:
        assert answer.getvalue()


@pytest.fixture(autouse=True)
def every_place_is_given_back() -> Iterator[None]:
    from dashboard.web.limits.slots import slots

    yield
    assert "transfers" not in slots().taken
